import type { ReadStream } from 'node:tty';
import { Frame } from './frame.js';
import { type Key, KeyReader } from './keys.js';
import { ListFeed } from './list-feed.js';
import { createLooks } from './looks.js';
import { press } from './press.js';
import { isMoving, screen, settled } from './screen.js';
import { type Looks, lineText } from './screen-line.js';
import type { TurnSource } from './source.js';
import { SpanFeed } from './span-feed.js';
import { firstState, type State } from './state.js';
import type { StateHolder } from './state-holder.js';
import { Tty, type TtyListener, type TtyOutput } from './tty.js';
import { TurnFeed } from './turn-feed.js';

/** No more often a frame is drawn. */
const FRAME_MILLIS = 100;
/** What runs grows so often. */
const TICK_MILLIS = 500;

export interface LiveViewOptions {
  readonly source: TurnSource;
  readonly input: ReadStream;
  readonly output: TtyOutput;
  readonly colour: boolean;
}

/** Turns in a terminal, from a source, until somebody quits. */
export class LiveView implements StateHolder, TtyListener {
  state: State;
  readonly #tty: Tty;
  readonly #keys = new KeyReader((key) => this.#onKey(key));
  readonly #frame = new Frame();
  readonly #looks: Looks;
  readonly #list: ListFeed;
  readonly #turn: TurnFeed;
  readonly #span: SpanFeed;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #drawing: NodeJS.Timeout | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #end: (exitCode: number) => void = () => {};

  constructor({ source, input, output, colour }: LiveViewOptions) {
    this.state = firstState(source.isLive);
    this.#looks = createLooks(colour);
    this.#tty = new Tty(input, output, this);
    this.#list = new ListFeed(source, this);
    this.#turn = new TurnFeed(source, this);
    this.#span = new SpanFeed(source, this);
  }

  /** Resolves with the exit code: 0 when somebody quits, else that of the signal. The terminal is as it was before. */
  async run(): Promise<number> {
    const ended = new Promise<number>((resolve) => {
      this.#end = resolve;
    });
    this.#tty.open();
    try {
      this.update((state) => state);
      return await ended;
    } finally {
      clearTimeout(this.#drawing);
      clearTimeout(this.#ticking);
      this.#keys.end();
      for (const feed of [this.#list, this.#turn, this.#span]) feed.stop();
      this.#tty.close();
    }
  }

  update(change: (state: State) => State): void {
    this.state = change(this.state);
    if (this.state.isOver) {
      this.#end(0);
      return;
    }
    this.#list.sync(this.#tty.size);
    this.#turn.sync();
    this.#span.sync();
    this.#schedule();
  }

  onInput(bytes: Buffer): void {
    this.#keys.push(bytes);
  }

  onResize(): void {
    this.#frame.forget();
    this.#schedule();
  }

  onReturn(): void {
    this.onResize();
  }

  onEnd(exitCode: number): void {
    this.#end(exitCode);
  }

  #onKey(key: Key): void {
    if (key.name === 'suspend') this.#tty.suspend();
    else if (key.name === 'redraw') this.onResize();
    else this.update((state) => settled(press(state, key, this.#tty.size), this.#tty.size));
  }

  #schedule(): void {
    if (this.#drawing !== undefined) return;
    const wait = Math.max(0, this.#drawnAt + FRAME_MILLIS - performance.now());
    this.#drawing = setTimeout(() => this.#draw(), wait);
  }

  #draw(): void {
    // A slow terminal gets the newest frame when it is ready, and none of those between.
    if (this.#tty.isBusy) {
      this.#tty.onceReady(() => this.#draw());
      return;
    }
    this.#drawing = undefined;
    this.#drawnAt = performance.now();
    const { size } = this.#tty;
    this.state = settled(this.state, size);
    const lines = screen(this.state, size, Date.now()).map((line) =>
      lineText(line, size.columns, this.#looks).trimEnd(),
    );
    const text = this.#frame.update(lines);
    if (text !== '') this.#tty.write(text);
    clearTimeout(this.#ticking);
    if (isMoving(this.state)) this.#ticking = setTimeout(() => this.#schedule(), TICK_MILLIS);
  }
}
