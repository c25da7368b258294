import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Starts a sink in a process of its own: a script that tells its port, and answers each message with what came since. */
export async function startSinkProcess(script) {
  const child = fork(script, ['--serve'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  const [{ port }] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    async take() {
      child.send('take');
      const [counts] = await once(child, 'message');
      return counts;
    },
    close: () => child.kill(),
  };
}
