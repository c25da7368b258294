import { Readable } from 'node:stream';
import { SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { CHUNKS, ModelStream } from './model-stream.test-support.js';
import { rejection, Scene, sleep } from './scene.test-support.js';

/** Runs a turn that gets `stream` from its model and hands it to `consume`. */
async function streamed<T>(stream: T, consume: (stream: T) => unknown, signal?: AbortSignal) {
  const scene = new Scene({ capture: 'full' });
  const problem: unknown[] = [];
  await scene.observer.turn({}, async (turn) => {
    const wrapped = await turn.request({ model: 'm', ...(signal ? { signal } : {}) }, () => stream);
    try {
      await consume(wrapped);
    } catch (error) {
      problem.push(error);
    }
  });
  const chat = await scene.span('chat m');
  return { scene, chat, problem, post: scene.payloads('post_api_request')[0] };
}

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

const ANSWERED = {
  'gen_ai.usage.input_tokens': 7,
  'gen_ai.usage.output_tokens': 2,
  'gen_ai.response.finish_reasons': ['stop'],
  'gen_ai.response.model': 'gpt-x',
  'gen_ai.response.time_to_first_chunk': expect.any(Number),
};

describe('a streamed answer', () => {
  it('ends its span when it is consumed, with the usage of its last chunk', async () => {
    const { chat, post } = await streamed(ModelStream.of(CHUNKS, { delay: 10 }), async (stream) => {
      expect(await all(stream)).toEqual(CHUNKS);
    });
    expect(chat.attributes).toMatchObject(ANSWERED);
    const first = Number(chat.attributes['gen_ai.response.time_to_first_chunk']);
    expect(first).toBeGreaterThan(0.005);
    expect(chat.duration[1] / 1e9).toBeGreaterThan(first + 0.015);
    expect(chat.attributes['gen_ai.output.messages']).toContain('Hello world');
    expect(chat.status.code).toBe(SpanStatusCode.UNSET);
    expect(post).toMatchObject({ assistant_content_chars: 11 });
  });

  it('is open while chunks come', async () => {
    const scene = new Scene();
    await scene.observer.turn({}, async (turn) => {
      for await (const _ of await turn.request({ model: 'm' }, () => ModelStream.of(CHUNKS))) {
        expect(scene.payloads('post_api_request')).toEqual([]);
      }
      expect(scene.payloads('post_api_request')).toHaveLength(1);
    });
  });

  it('is cancelled when the consumer leaves', async () => {
    const stream = ModelStream.of(CHUNKS);
    const { chat } = await streamed(stream, async (wrapped) => {
      for await (const _ of wrapped) break;
    });
    expect(stream.controller.signal.aborted).toBe(true);
    expect(chat.attributes).toMatchObject({ 'gen_ai.response.finish_reasons': ['cancelled'] });
    expect(chat.attributes['hermes.incomplete']).toBeUndefined();
    expect(chat.status.code).toBe(SpanStatusCode.UNSET);
  });

  it('keeps the finish reason it had when the consumer left after it', async () => {
    const { chat } = await streamed(ModelStream.of(CHUNKS), async (wrapped) => {
      let seen = 0;
      for await (const _ of wrapped) if (++seen === 3) break;
    });
    expect(chat.attributes['gen_ai.response.finish_reasons']).toEqual(['stop']);
  });

  it('fails with the error of the stream, the same object', async () => {
    class StreamBroke extends Error {}
    const error = new StreamBroke('x');
    const { chat, problem } = await streamed(ModelStream.of(CHUNKS.slice(0, 1), { error }), all);
    expect(problem[0]).toBe(error);
    expect(chat.attributes['error.type']).toBe('StreamBroke');
    expect(chat.status.code).toBe(SpanStatusCode.ERROR);
  });

  it('is cancelled when something is thrown into it', async () => {
    const error = new Error('mine');
    const generator = (async function* () {
      for (const chunk of CHUNKS) yield chunk;
    })();
    const { chat, problem } = await streamed(generator, async (wrapped) => {
      await wrapped.next();
      await wrapped.throw(error);
    });
    expect(problem[0]).toBe(error);
    expect(chat.attributes['gen_ai.response.finish_reasons']).toEqual(['cancelled']);
    expect(chat.status.code).toBe(SpanStatusCode.UNSET);
  });

  it('is cancelled by the signal while a chunk is awaited', async () => {
    const abort = new AbortController();
    const stalled = new ModelStream<object>(() => ({ next: () => new Promise(() => {}) }));
    const { chat } = await streamed(
      stalled,
      (wrapped) => {
        void wrapped[Symbol.asyncIterator]().next();
        abort.abort();
      },
      abort.signal,
    );
    expect(chat.attributes['gen_ai.response.finish_reasons']).toEqual(['cancelled']);
  });

  it('is cancelled when its own controller ends it without an error', async () => {
    const { chat } = await streamed(ModelStream.of(CHUNKS), async (wrapped) => {
      const iterator = wrapped[Symbol.asyncIterator]();
      await iterator.next();
      wrapped.controller.abort();
      expect(await iterator.next()).toEqual({ done: true, value: undefined });
    });
    expect(chat.attributes['gen_ai.response.finish_reasons']).toEqual(['cancelled']);
  });

  it('ends with the turn when nobody consumes it', async () => {
    const { chat, scene } = await streamed(ModelStream.of(CHUNKS), () => undefined);
    expect(chat.attributes['gen_ai.response.finish_reasons']).toEqual(['cancelled']);
    expect(chat.attributes['hermes.incomplete']).toBeUndefined();
    expect(scene.hooks.map(({ hook }) => hook).slice(-3)).toEqual([
      'post_api_request',
      'post_llm_call',
      'on_session_end',
    ]);
  });
});

describe('the stream handed on', () => {
  it('is of its class, with its properties and private state', async () => {
    const stream = ModelStream.of(CHUNKS);
    await streamed(stream, async (wrapped) => {
      expect(wrapped).toBeInstanceOf(ModelStream);
      expect(wrapped.constructor).toBe(ModelStream);
      expect(wrapped.controller).toBe(stream.controller);
      expect(wrapped.consumed).toBe(false);
      await all(wrapped);
      expect(wrapped.consumed).toBe(true);
      expect(Object.keys(wrapped)).toEqual(Object.keys(stream));
    });
  });

  it('refuses or repeats a second iteration as the original does', async () => {
    await streamed(ModelStream.of(CHUNKS), async (wrapped) => {
      await all(wrapped);
      expect(await rejection(all(wrapped))).toMatchObject({ message: 'Cannot iterate over a consumed stream' });
    });
    const repeatable = {
      async *[Symbol.asyncIterator]() {
        yield* CHUNKS;
      },
    };
    const { chat, scene } = await streamed(repeatable, async (wrapped) => {
      expect(await all(wrapped)).toEqual(CHUNKS);
      expect(await all(wrapped)).toEqual(CHUNKS);
    });
    expect(chat.attributes).toMatchObject(ANSWERED);
    expect(scene.payloads('post_api_request')).toHaveLength(1);
  });

  it.each<[string, (stream: ModelStream<object>) => unknown]>([
    ['toReadableStream', (stream) => all(stream.toReadableStream())],
    ['one branch of tee', (stream) => all(stream.tee()[1])],
    ['both branches of tee', async (stream) => Promise.all(stream.tee().map(all))],
    ['iterator()', (stream) => all(stream.iterator())],
    ['a chained listener', (stream) => all(stream.on('text', () => {}))],
  ])('is seen when consumed by %s', async (_name, consume) => {
    const { chat, problem, post } = await streamed(ModelStream.of(CHUNKS), consume);
    expect(problem).toEqual([]);
    expect(chat.attributes).toMatchObject(ANSWERED);
    expect(post).toMatchObject({ assistant_content_chars: 11 });
  });

  it('ends when a method gives the whole answer', async () => {
    const { chat } = await streamed(ModelStream.of(CHUNKS), (stream) => stream.finalMessage());
    expect(chat.attributes).toMatchObject({ 'gen_ai.response.model': 'claude-x', 'gen_ai.usage.input_tokens': 3 });
  });

  it('ends with a method that waits for its end, well or not', async () => {
    const done = await streamed(ModelStream.of(CHUNKS), (stream) => stream.finalText());
    expect(done.chat.attributes['gen_ai.response.finish_reasons']).toBeUndefined();
    const error = new RangeError('x');
    const failed = await streamed(ModelStream.of(CHUNKS, { error }), (stream) => stream.finalText());
    expect(failed.problem[0]).toBe(error);
    expect(failed.chat.attributes['error.type']).toBe('RangeError');
  });

  it('keeps a generator what it is, and its return value', async () => {
    const generator = (async function* () {
      const got: unknown = yield 'a';
      return `end ${String(got)}`;
    })();
    await streamed(generator, async (wrapped) => {
      expect(wrapped[Symbol.asyncIterator]()).toBe(wrapped);
      expect(await wrapped.next()).toEqual({ done: false, value: 'a' });
      expect(await wrapped.next('b' as never)).toEqual({ done: true, value: 'end b' });
    });
  });

  it('is the object itself where its iterator is frozen; the span ends at once', async () => {
    const frozen = Object.freeze({
      async *[Symbol.asyncIterator]() {
        yield 1;
      },
    });
    const { problem, chat } = await streamed(frozen, async (wrapped) => {
      expect(wrapped).toBe(frozen);
      expect(await all(wrapped)).toEqual([1]);
    });
    expect(problem).toEqual([]);
    expect(chat.attributes['gen_ai.response.finish_reasons']).toBeUndefined();
    expect(chat.attributes['hermes.incomplete']).toBeUndefined();
  });
});

describe('a ReadableStream', () => {
  const readable = (chunks: readonly unknown[] = CHUNKS) =>
    new ReadableStream<unknown>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
  const read = async (stream: ReadableStream<unknown>) => {
    const reader = stream.getReader();
    const chunks: unknown[] = [];
    for (let step = await reader.read(); !step.done; step = await reader.read()) chunks.push(step.value);
    await reader.closed;
    reader.releaseLock();
    return chunks;
  };

  it.each<[string, (stream: ReadableStream<unknown>) => Promise<unknown[]>]>([
    ['for await', (stream) => all(stream)],
    ['values()', (stream) => all(stream.values())],
    ['a reader', read],
    ['a branch of tee', (stream) => read(stream.tee()[0])],
    ['pipeThrough', (stream) => read(stream.pipeThrough(new TransformStream()))],
    [
      'pipeTo',
      async (stream) => {
        const chunks: unknown[] = [];
        await stream.pipeTo(new WritableStream({ write: (chunk) => void chunks.push(chunk) }));
        return chunks;
      },
    ],
    [
      'a Node stream',
      (stream) => all(Readable.fromWeb(stream as never, { objectMode: true }) as AsyncIterable<unknown>),
    ],
  ])('is seen when consumed by %s', async (_name, consume) => {
    const { chat, problem } = await streamed(readable(), async (stream) => {
      expect(stream).toBeInstanceOf(ReadableStream);
      expect(await consume(stream)).toEqual(CHUNKS);
    });
    expect(problem).toEqual([]);
    expect(chat.attributes).toMatchObject(ANSWERED);
  });

  it('may be its own iterator', async () => {
    class IterableStream extends ReadableStream<unknown> {
      #reader: ReadableStreamDefaultReader<unknown> | undefined;
      next() {
        this.#reader ??= this.getReader();
        return this.#reader.read();
      }
      // biome-ignore lint/suspicious/noExplicitAny: the base class asks for a richer iterator than this one is
      override [Symbol.asyncIterator](): any {
        return this;
      }
    }
    const iterable = () =>
      new IterableStream({
        start(controller) {
          for (const chunk of CHUNKS) controller.enqueue(chunk);
          controller.close();
        },
      });
    for (const consume of [
      (stream: IterableStream) => all(stream),
      async (stream: IterableStream) => {
        while (!(await stream.next()).done);
      },
    ]) {
      const { chat, problem } = await streamed(iterable(), consume);
      expect(problem).toEqual([]);
      expect(chat.attributes).toMatchObject(ANSWERED);
    }
  });

  it('can be the body of a Response', async () => {
    const bytes = ['a', 'b'].map((text) => new TextEncoder().encode(text));
    const { chat, problem } = await streamed(readable(bytes), async (stream) => {
      expect(await new Response(stream as never).text()).toBe('ab');
    });
    expect(problem).toEqual([]);
    expect(chat.attributes['gen_ai.response.finish_reasons']).toBeUndefined();
    expect(chat.attributes['gen_ai.response.time_to_first_chunk']).toEqual(expect.any(Number));
  });

  it.each<[string, (stream: ReadableStream<unknown>) => unknown]>([
    ['cancelled', (stream) => stream.cancel()],
    ['cancelled by its reader', (stream) => stream.getReader().cancel()],
    [
      'left',
      async (stream) => {
        for await (const _ of stream) break;
      },
    ],
    ['cancelled behind a transform', (stream) => stream.pipeThrough(new TransformStream()).cancel()],
  ])('is cancelled when %s', async (_name, consume) => {
    let cancelled = false;
    const source = new ReadableStream<unknown>({
      pull: (controller) => controller.enqueue('x'),
      cancel: () => {
        cancelled = true;
      },
    });
    const { chat } = await streamed(source, consume);
    expect(cancelled).toBe(true);
    expect(chat.attributes['gen_ai.response.finish_reasons']).toEqual(['cancelled']);
  });

  it('passes its error on through a transform', async () => {
    const error = new TypeError('broken');
    const source = new ReadableStream<unknown>({ pull: (controller) => controller.error(error) });
    const { chat, problem } = await streamed(source, (stream) => read(stream.pipeThrough(new TransformStream())));
    expect(problem[0]).toBe(error);
    expect(chat.attributes['error.type']).toBe('TypeError');
  });
});

describe('a Node stream', () => {
  it('is seen when iterated, and when piped', async () => {
    const iterated = await streamed(Readable.from(CHUNKS), all);
    expect(iterated.chat.attributes).toMatchObject(ANSWERED);
    const piped = await streamed(Readable.from(['a', 'b']), async (stream) => {
      const chunks: unknown[] = [];
      for await (const chunk of stream.pipe(new (await import('node:stream')).PassThrough()))
        chunks.push(String(chunk));
      await sleep(1);
      expect(chunks.join('')).toBe('ab');
    });
    expect(piped.problem).toEqual([]);
    expect(piped.chat.attributes['gen_ai.response.finish_reasons']).toBeUndefined();
  });
});
