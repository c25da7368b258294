/** A streamed answer shaped like those of the model SDKs: private fields, a controller, methods that iterate `this`. */
export class ModelStream<Item> implements AsyncIterable<Item> {
  readonly controller = new AbortController();
  readonly #source: () => AsyncIterator<Item>;
  #consumed = false;

  constructor(source: () => AsyncIterator<Item>) {
    this.#source = source;
  }

  static of<Item>(items: readonly Item[], options: { delay?: number; error?: unknown } = {}): ModelStream<Item> {
    return new ModelStream(async function* () {
      for (const item of items) {
        if (options.delay !== undefined) await new Promise((resolve) => setTimeout(resolve, options.delay));
        yield item;
      }
      if ('error' in options) throw options.error;
    });
  }

  get consumed(): boolean {
    return this.#consumed;
  }

  async *iterator(): AsyncGenerator<Item> {
    if (this.#consumed) throw new Error('Cannot iterate over a consumed stream');
    this.#consumed = true;
    let done = false;
    try {
      const source = this.#source();
      while (!this.controller.signal.aborted) {
        const { done: last, value } = await source.next();
        if (last) break;
        yield value;
      }
      done = true;
    } finally {
      if (!done) this.controller.abort();
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<Item> {
    return this.iterator();
  }

  tee(): [ModelStream<Item>, ModelStream<Item>] {
    const source = this.iterator();
    const waiting: [Promise<IteratorResult<Item>>[], Promise<IteratorResult<Item>>[]] = [[], []];
    const branch = (own: Promise<IteratorResult<Item>>[]) =>
      new ModelStream<Item>(() => ({
        next: () => {
          if (own.length === 0) {
            const next = source.next();
            for (const queue of waiting) queue.push(next);
          }
          return own.shift() ?? source.next();
        },
      }));
    return [branch(waiting[0]), branch(waiting[1])];
  }

  toReadableStream(): ReadableStream<Uint8Array> {
    const self = this;
    let source: AsyncIterator<Item>;
    return new ReadableStream({
      start() {
        source = self[Symbol.asyncIterator]();
      },
      async pull(controller) {
        const { done, value } = await source.next();
        if (done) controller.close();
        else controller.enqueue(new TextEncoder().encode(`${JSON.stringify(value)}\n`));
      },
      async cancel() {
        await source.return?.();
      },
    });
  }

  /** The listeners' side of an SDK's helper streams: it returns itself. */
  on(_event: string, _listener: () => void): this {
    return this;
  }

  async finalText(): Promise<string> {
    let text = '';
    for await (const item of this.iterator()) text += JSON.stringify(item);
    return text;
  }

  async finalMessage(): Promise<object> {
    return {
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [{ type: 'text', text: 'whole' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 4 },
    };
  }
}

const delta = (content: string) => ({
  model: 'gpt-x',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
});

/** Chunks of an OpenAI chat completion that says `Hello world`. */
export const CHUNKS: readonly object[] = [
  delta('Hello'),
  delta(' world'),
  { model: 'gpt-x', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { model: 'gpt-x', choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } },
];
