import { simulateReadableStream, streamText } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, it } from 'vitest';
import { observed, only, sleep, stop, usage } from './version-6.test-support.js';

const finish = { type: 'finish', finishReason: stop, usage };
const model = (deltas: number) => {
  const texts = Array.from({ length: deltas }, () => ({ type: 'text-delta', id: 't', delta: 'w' }));
  const chunks = [{ type: 'text-start', id: 't' }, ...texts, { type: 'text-end', id: 't' }, finish] as never[];
  const doStream = async () => ({ stream: simulateReadableStream({ chunks }) });
  return new MockLanguageModelV4({ modelId: 'm', doStream });
};
const TREE = ['invoke_agent hermes: completed', '  chat m: stop 10>5 streamed'];

it('a streamed answer is read by two observers', async () => {
  const [one, other] = [observed(), observed()];
  const { textStream } = streamText({ model: model(3), prompt: 'x' });
  for await (const _ of textStream);
  await sleep(5);
  for (const scene of [one, other]) {
    expect(only(scene.payloads('post_llm_call'))).toMatchObject({ assistant_response: 'www' });
    expect(await scene.tree()).toEqual(TREE);
  }
});

it('what a durable run tells again once it is over, is told of once', async () => {
  const scene = observed();
  const place = globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: { onError?(event: object): void }[] };
  const tellsAgain = ({ callId }: { callId: string }) => {
    const again = { callId, error: new Error('of the first time'), durableContext: { phase: 'replay' } };
    for (const one of place.AI_SDK_TELEMETRY_INTEGRATIONS ?? []) one.onError?.(again);
  };
  const { textStream } = streamText({ model: model(3), prompt: 'x', onStart: tellsAgain as never });
  for await (const _ of textStream);
  await sleep(5);
  expect(await scene.tree()).toEqual(TREE);
});
