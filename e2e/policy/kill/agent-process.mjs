import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('agent.mjs', import.meta.url));

/** One life of an agent. */
export class AgentProcess {
  isOver = false;
  #onMessage;

  /** @param onMessage told all that it says, `{ at, … }` */
  constructor(settings, onMessage) {
    this.#onMessage = onMessage;
    this.child = fork(script, [JSON.stringify(settings)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.exit = once(this.child, 'exit').then(([code, signal]) => {
      this.isOver = true;
      return { code, signal };
    });
    this.ready = new Promise((resolve) => {
      this.child.on('message', (message) => {
        if (message.at === 'ready') resolve();
        this.#onMessage(message);
      });
      this.exit.then(resolve);
    });
  }

  send(message) {
    if (!this.isOver && this.child.connected) this.child.send(message, () => undefined);
  }

  async kill() {
    this.child.kill('SIGKILL');
    await this.exit;
  }
}
