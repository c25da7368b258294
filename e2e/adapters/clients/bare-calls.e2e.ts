// In other versions of the clients, and in a process of their own: no scope was entered before.
import { KeptSpans, spanTree } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import { afterAll, describe, expect, test } from 'vitest';
import { anthropicDialect, type Dialect, openaiDialect } from '../../../packages/clients/src/dialects.test-support.js';
import { LoopbackServer, unavailable } from '../../../packages/clients/src/loopback-server.test-support.js';
import { frameworkAt } from '../frameworks.mjs';
import { ANTHROPIC, OPENAI } from './versions.mjs';

const server = await new LoopbackServer().listen();
afterAll(() => server.close());

async function load(id: string, version: string) {
  const framework = await frameworkAt(`clients-${id.replace(/\W+/g, '-')}`, { [id]: version });
  return framework.load(id);
}

describe('calls outside of any turn have their attempts, and their span active in a fetch of the program', () => {
  const messages = [{ role: 'user' as const, content: 'How is the weather?' }];

  async function seenIn(dialect: Dialect, call: (fetch: typeof globalThis.fetch) => Promise<unknown>) {
    const kept = new KeptSpans();
    const observer = createObserver({ exporters: [kept as never], env: {}, onWarning: () => {} });
    const end = dialect.instrument(observer);
    const active: unknown[] = [];
    server.answers(unavailable(503), dialect.answer('Sunny.'));
    await call((input, init) => {
      active.push(observer.traceContext().traceparent?.split('-')[2]);
      return fetch(input, init);
    });
    end();
    await observer.shutdown();
    const id = kept.spans.find(({ name }) => name === 'chat m')?.spanContext().spanId;
    return { tree: spanTree(kept.spans), isActive: active.map((one) => one !== undefined && one === id) };
  }

  const SEEN = { tree: ['invoke_agent hermes: completed', '  chat m: stop 10>5 x503'], isActive: [true, true] };

  test.each(OPENAI)('openai %s', async (version) => {
    const esm = await load('openai', version);
    const call = (own: typeof fetch) =>
      new esm.OpenAI({ apiKey: 'sk', baseURL: `${server.url}/v1`, fetch: own }).chat.completions.create({
        model: 'm',
        messages,
      });
    expect(await seenIn(openaiDialect('', esm), call)).toEqual(SEEN);
  });

  test.each(ANTHROPIC)('@anthropic-ai/sdk %s', async (version) => {
    const esm = await load('@anthropic-ai/sdk', version);
    const call = (own: typeof fetch) =>
      new esm.Anthropic({ apiKey: 'sk', baseURL: server.url, fetch: own }).messages.create({
        model: 'm',
        max_tokens: 9,
        messages,
      });
    expect(await seenIn(anthropicDialect('', esm), call)).toEqual(SEEN);
  });
});
