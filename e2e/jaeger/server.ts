import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from './wait-for.js';

const STOP_MILLIS = 10_000;

export interface ServerOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Variables beside those of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Answers with a success once the server is ready. */
  readonly readyUrl: string;
  /** How long that may take. @default 20 s */
  readonly millis?: number;
}

/** A program that runs until it is stopped, at the latest when this process ends. */
export class Server {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #kill = () => void this.#child.kill('SIGKILL');
  #log = '';

  private constructor(options: ServerOptions) {
    this.#name = options.name;
    const env = { ...process.env, ...options.env };
    this.#child = spawn(options.command, options.args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log += text;
      });
    }
    this.#child.on('error', (error) => {
      this.#log += String(error);
    });
    process.once('exit', this.#kill);
  }

  /** Starts it and waits until it is ready. @throws Error with the end of its log. */
  static async start(options: ServerOptions): Promise<Server> {
    const server = new Server(options);
    try {
      const isReady = async () => {
        if (server.hasEnded) return true;
        return (await fetch(options.readyUrl)).ok || undefined;
      };
      await waitFor(`${options.name} is not ready at ${options.readyUrl}`, isReady, options.millis);
      if (server.hasEnded) throw new Error(`${options.name} ended at its start`);
      return server;
    } catch (error) {
      await server.stop();
      throw new Error(`${String(error)}\n${server.#log.slice(-3000)}`, { cause: error });
    }
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined;
  }

  /** What it wrote. */
  get log(): string {
    return this.#log;
  }

  /** Asks it to stop, and waits until it has. @throws Error if it had to be killed. */
  async stop(): Promise<void> {
    process.off('exit', this.#kill);
    if (this.hasEnded) return;
    const ended = once(this.#child, 'exit').then(() => true);
    this.#child.kill('SIGTERM');
    if (await Promise.race([ended, sleep(STOP_MILLIS, false, { ref: false })])) return;
    this.#kill();
    throw new Error(`${this.#name} did not stop within ${STOP_MILLIS} ms`);
  }
}
