// The behaviours of the kit in other versions of the clients, in ES modules and in CommonJS.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describeAdapter, KeptSpans, spanTree } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import { afterAll, describe, expect, test } from 'vitest';
import { anthropicDialect, type Dialect, openaiDialect } from '../../../packages/clients/src/dialects.test-support.js';
import { LoopbackServer } from '../../../packages/clients/src/loopback-server.test-support.js';
import { playsOf } from '../../../packages/clients/src/plays.test-support.js';
import { frameworkAt } from '../frameworks.mjs';
import { ANTHROPIC, OPENAI } from './versions.mjs';

const server = await new LoopbackServer().listen();
afterAll(() => server.close());

async function installed(id: string, version: string) {
  const { folder, load } = await frameworkAt(`clients-${id.replace(/\W+/g, '-')}`, { [id]: version });
  return { esm: await load(id), cjs: createRequire(join(folder, 'package.json'))(id) };
}

for (const version of OPENAI) {
  const { esm, cjs } = await installed('openai', version);
  describeAdapter(test, playsOf(openaiDialect(`openai ${version}`, esm), server, createObserver));
  if (version === OPENAI[0])
    describeAdapter(test, playsOf(openaiDialect(`openai ${version}, CommonJS`, cjs), server, createObserver));
}
for (const version of ANTHROPIC) {
  const { esm, cjs } = await installed('@anthropic-ai/sdk', version);
  describeAdapter(test, playsOf(anthropicDialect(`@anthropic-ai/sdk ${version}`, esm), server, createObserver));
  if (version === ANTHROPIC[0])
    describeAdapter(
      test,
      playsOf(anthropicDialect(`@anthropic-ai/sdk ${version}, CommonJS`, cjs), server, createObserver),
    );
}

describe('loops that the clients run themselves', () => {
  const weather = { id: 'call_1', name: 'weather', args: { city: 'Oslo' } };
  const messages = [{ role: 'user' as const, content: 'How is the weather?' }];
  const schema = { type: 'object', properties: { city: { type: 'string' } } };
  const TREE = [
    'invoke_agent hermes: completed',
    '  chat m: tool_calls 10>5',
    '  execute_tool weather: ok',
    '  chat m: stop 10>5',
  ];

  async function observed(dialect: Dialect, loop: () => Promise<unknown>) {
    const kept = new KeptSpans();
    const observer = createObserver({ exporters: [kept as never], env: {}, onWarning: () => {} });
    const end = dialect.instrument(observer);
    server.answers(dialect.answer(null, [weather]), dialect.answer('Sunny.'));
    const answer = await loop();
    end();
    await observer.shutdown();
    const tool = kept.spans.find(({ name }) => name.startsWith('execute_tool'));
    return { answer, tree: spanTree(kept.spans), id: tool?.attributes['gen_ai.tool.call.id'] };
  }

  test.each(OPENAI)('runTools of openai %s', async (version) => {
    const { esm } = await installed('openai', version);
    const client = new esm.OpenAI({ apiKey: 'sk', baseURL: `${server.url}/v1` });
    const definition = { name: 'weather', parameters: schema, parse: JSON.parse, function: () => '21' };
    const tools = [{ type: 'function', function: definition }];
    const loop = () => client.chat.completions.runTools({ model: 'm', messages, tools }).finalContent();
    const seen = await observed(openaiDialect('', esm), loop);
    expect(seen).toEqual({ answer: 'Sunny.', tree: TREE, id: 'call_1' });
  });

  test.each(ANTHROPIC)('toolRunner of @anthropic-ai/sdk %s', async (version) => {
    const { esm } = await installed('@anthropic-ai/sdk', version);
    const client = new esm.Anthropic({ apiKey: 'sk', baseURL: server.url });
    const tool = { name: 'weather', input_schema: schema, parse: (input: unknown) => input, run: () => '21' };
    const loop = async () => {
      const runner = client.beta.messages.toolRunner({ model: 'm', max_tokens: 9, messages, tools: [tool] });
      return (await runner).content[0].text;
    };
    const seen = await observed(anthropicDialect('', esm), loop);
    expect(seen).toEqual({ answer: 'Sunny.', tree: TREE, id: 'call_1' });
  });
});
