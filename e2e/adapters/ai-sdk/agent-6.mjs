// A program that uses AI SDK 6 and OpenTelemetry, and knows of no observer. Says where code of tools and code around runs was.
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { generateText, simulateReadableStream, stepCountIs, streamText, tool } from 'ai-v6';
import { MockLanguageModelV3 } from 'ai-v6/test';
import { z } from 'zod';

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

const usage = { inputTokens: { total: 10, noCache: 10 }, outputTokens: { total: 5, text: 5 } };
const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'weather', input: '{"city":"Oslo"}' };
const reason = (unified) => ({ unified, raw: unified });
const answers = [
  { content: [call], usage, warnings: [], finishReason: reason('tool-calls') },
  { content: [{ type: 'text', text: 'Sunny.' }], usage, warnings: [], finishReason: reason('stop') },
];
const places = new Set();
const here = () => trace.getActiveSpan()?.spanContext().spanId ?? 'none';
const around = (name) => {
  if (here() !== 'none') places.add(`${name}: ${here()}`);
};
const model = (modelId, doGenerate) => new MockLanguageModelV3({ provider: 'mock', modelId, doGenerate });
const agent = (modelId) => {
  let step = 0;
  return {
    model: model(modelId, async () => answers[step++]),
    tools: {
      weather: tool({
        inputSchema: z.object({ city: z.string() }),
        execute: async () => {
          await new Promise((resolve) => setTimeout(resolve, 1));
          places.add(`tool of ${modelId}: ${here()}`);
          return { temperature: 21 };
        },
      }),
    },
    stopWhen: stepCountIs(3),
    prompt: 'How is the weather?',
  };
};

around('before');
const first = generateText(agent('one'));
around('called');
await Promise.all([first, generateText(agent('two'))]);
around('after both');
const fails = model('three', async () => {
  throw new Error('no');
});
await generateText({ model: fails, prompt: 'x' }).catch(() => around('caught'));
around('after a failure');
const finish = { type: 'finish', finishReason: reason('stop'), usage };
const chunks = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'w' },
  { type: 'text-end', id: 't' },
];
const doStream = async () => ({ stream: simulateReadableStream({ chunks: [...chunks, finish] }) });
const { textStream } = streamText({ model: new MockLanguageModelV3({ modelId: 'four', doStream }), prompt: 'x' });
around('streaming');
for await (const _ of textStream) around('part');
around('after the stream');
console.log(JSON.stringify([...places].sort()));
