import type { AskedToolCall } from '@hermes-observer/adapter';

/** What is kept of the text of a stream, and of the arguments of a call in it, in UTF-16 units. */
const MOST_TEXT = 1_000_000;
const MOST_CALLS = 256;

/** Text and tool calls of an answer, as they come in pieces. Bounded. */
export class StreamedParts {
  #text = '';
  readonly #calls = new Map<unknown, { id: string; name: string; arguments: string }>();

  addText(piece: unknown): void {
    if (typeof piece === 'string' && this.#text.length < MOST_TEXT) this.#text += piece;
  }

  /** A piece of the call at `index`. Its first one has an `id` or a `name`; others belong to no call. */
  addCall(index: unknown, id: unknown, name: unknown, piece: unknown): void {
    let call = this.#calls.get(index);
    if (call === undefined) {
      if ((id === undefined && name === undefined) || this.#calls.size >= MOST_CALLS) return;
      call = { id: '', name: '', arguments: '' };
      this.#calls.set(index, call);
    }
    if (typeof id === 'string' && call.id === '') call.id = id;
    if (typeof name === 'string' && call.name === '') call.name = name;
    if (typeof piece === 'string' && call.arguments.length < MOST_TEXT) call.arguments += piece;
  }

  get text(): string | undefined {
    return this.#text === '' ? undefined : this.#text;
  }

  get toolCalls(): AskedToolCall[] {
    return [...this.#calls.values()];
  }
}
