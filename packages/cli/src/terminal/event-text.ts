import type { LiveEvent } from './source.js';

/** More than any batch of the service: a stream without an end is none. */
const MOST_UNITS = 64 * 2 ** 20;

/** Takes server-sent events apart. Comments and fields that nobody asked for are passed over. */
export class EventText {
  readonly #onEvent: (event: LiveEvent) => void;
  #text = '';
  /** What was searched already for the end of an event. */
  #searched = 0;

  constructor(onEvent: (event: LiveEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** @throws Error for an event that is too long or whose data are no JSON */
  push(text: string): void {
    this.#text += text;
    let from = 0;
    for (;;) {
      const end = this.#text.indexOf('\n\n', Math.max(from, this.#searched - 1));
      if (end === -1) break;
      this.#take(this.#text.slice(from, end));
      from = end + 2;
      this.#searched = 0;
    }
    this.#text = this.#text.slice(from);
    this.#searched = this.#text.length;
    if (this.#text.length > MOST_UNITS) throw new Error('an event without an end');
  }

  #take(block: string): void {
    let name = '';
    let data = '';
    for (const line of block.split('\n')) {
      if (line.startsWith('event: ')) name = line.slice('event: '.length);
      else if (line.startsWith('data: ')) data += line.slice('data: '.length);
    }
    if (name !== '') this.#onEvent({ name, data: JSON.parse(data) });
  }
}
