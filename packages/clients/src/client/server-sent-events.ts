/** An event longer than this is not read; those after it are. */
const MOST_LINE = 1_000_000;

/** Reads JSON from the bytes of a stream of server-sent events, as they pass. */
export class ServerSentEvents {
  readonly #decoder = new TextDecoder();
  readonly #event: (value: unknown) => void;
  #rest = '';
  #isTooLong = false;

  constructor(event: (value: unknown) => void) {
    this.#event = event;
  }

  add(chunk: unknown): void {
    if (!(chunk instanceof Uint8Array)) return;
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!this.#isTooLong) this.#line(line);
      this.#isTooLong = false;
    }
    if (this.#rest.length <= MOST_LINE) return;
    this.#rest = '';
    this.#isTooLong = true;
  }

  #line(line: string): void {
    if (!line.startsWith('data:')) return;
    const text = line.slice(5).trim();
    if (!text.startsWith('{')) return;
    try {
      this.#event(JSON.parse(text));
    } catch {
      // What is no JSON says nothing of the answer.
    }
  }
}
