import { writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Size } from './state.js';

/** Another screen, cleared; no cursor; no line is carried on to the next. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J';
const LEAVE = '\x1b[?2026l\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l';

export type TtyOutput = WriteStream & { readonly fd: number };

/** What came of the terminal. */
export interface TtyListener {
  onInput(bytes: Buffer): void;
  onResize(): void;
  /** It was left for a while, so all of it has to be drawn again. */
  onReturn(): void;
  /** A signal, or nobody is there any more. */
  onEnd(exitCode: number): void;
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 } as const;
const EXIT_NOBODY = 129;

/** The terminal while it is ours. Whichever way the process ends or stops, it gets back what it was. */
export class Tty {
  readonly #in: ReadStream;
  readonly #out: TtyOutput;
  readonly #listener: TtyListener;
  readonly #undo: (() => void)[] = [];
  #isOurs = false;

  constructor(input: ReadStream, output: TtyOutput, listener: TtyListener) {
    this.#in = input;
    this.#out = output;
    this.#listener = listener;
  }

  get size(): Size {
    return { columns: this.#out.columns || 80, rows: this.#out.rows || 24 };
  }

  open(): void {
    const listener = this.#listener;
    const on = (
      target: { on: (name: string, run: never) => unknown; off: (name: string, run: never) => unknown },
      name: string,
      run: (value: never) => void,
    ) => {
      target.on(name, run as never);
      this.#undo.push(() => target.off(name, run as never));
    };
    for (const [signal, code] of Object.entries(SIGNALS)) on(process, signal, () => listener.onEnd(code));
    on(process, 'SIGTSTP', () => this.#stop());
    on(process, 'SIGCONT', () => this.#return());
    // Before anything is said of it, so that it is said on the screen that stays.
    on(process, 'uncaughtExceptionMonitor', () => this.#leave());
    on(process, 'exit', () => this.#leave());
    on(this.#out, 'resize', () => listener.onResize());
    on(this.#in, 'data', (bytes: Buffer) => listener.onInput(bytes));
    on(this.#in, 'end', () => listener.onEnd(EXIT_NOBODY));
    on(this.#in, 'error', () => listener.onEnd(EXIT_NOBODY));
    this.#enter();
    this.#in.resume();
  }

  /** Nothing is written after it. */
  close(): void {
    this.#leave();
    // What has not reached the terminal yet would come behind.
    if (this.#out.writableLength > 0) this.#out.write(LEAVE);
    for (const undo of this.#undo.splice(0)) undo();
    this.#in.pause();
  }

  /** Stops this process and those that wait for it in the foreground, as a shell has it. */
  suspend(): void {
    process.kill(0, 'SIGTSTP');
  }

  /** Whether what was written before has not reached the terminal. */
  get isBusy(): boolean {
    return this.#out.writableNeedDrain;
  }

  onceReady(run: () => void): void {
    this.#out.once('drain', run);
  }

  write(text: string): void {
    if (this.#isOurs) this.#out.write(text);
  }

  #stop(): void {
    this.#leave();
    process.kill(process.pid, 'SIGSTOP');
  }

  #return(): void {
    // The shell may have set the terminal otherwise, also where nobody told us to stop.
    this.#setRaw(false);
    this.#enter();
    this.#listener.onReturn();
  }

  #enter(): void {
    this.#setRaw(true);
    this.#isOurs = true;
    this.#out.write(ENTER);
  }

  /** At once, since the process may be gone right after. */
  #leave(): void {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    try {
      writeSync(this.#out.fd, LEAVE);
    } catch {
      // Nobody is there, or it takes no more.
    }
    this.#setRaw(false);
  }

  #setRaw(isRaw: boolean): void {
    try {
      this.#in.setRawMode(isRaw);
    } catch {
      // The terminal is gone.
    }
  }
}
