// Runs an agent in a child: a worker thread, a forked process, or another one.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const agent = new URL('ends.mjs', import.meta.url);
const start = {
  worker: () => new Worker(agent, { argv: ['none'] }),
  'worker-exit': () => new Worker(agent, { argv: ['exit'] }),
  fork: () => fork(agent, ['none']),
  spawn: () => spawn(process.execPath, [agent.pathname, 'none'], { stdio: 'inherit' }),
};
await once(start[process.argv[2]](), 'exit');
