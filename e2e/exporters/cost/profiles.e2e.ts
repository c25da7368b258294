import { createObserver, type ReadableSpan, type SpanExporter } from '@hermes-observer/otel';
import { type ProfileName, withProfiles } from '@hermes-observer/profiles';
import { expect, it } from 'vitest';

/** Attributes of a request of 1000 tokens in, 400 of them cached, and 100 out, under the names of a profile. */
async function chatAs(profile: ProfileName): Promise<ReadableSpan['attributes']> {
  const spans: ReadableSpan[] = [];
  const exporter: SpanExporter = {
    export: (list, done) => {
      spans.push(...list);
      done({ code: 0 });
    },
    shutdown: async () => {},
  };
  const observer = createObserver({ env: {}, cost: true, exporters: [withProfiles(exporter, [profile])] });
  await observer.turn({}, (turn) =>
    turn.request({ model: 'gpt-5', provider: 'openai' }, (request) =>
      request.report({ usage: { inputTokens: 1000, cacheReadTokens: 400, outputTokens: 100 } }),
    ),
  );
  await observer.shutdown();
  return spans.find(({ name }) => name === 'chat gpt-5')?.attributes ?? {};
}

// 600 × 1.25 + 400 × 0.125 = 800 millionths of a dollar, and 100 × 10 = 1000.

it('OpenInference has the cost of a request', async () => {
  expect(await chatAs('openinference')).toMatchObject({
    'llm.cost.prompt': 0.0008,
    'llm.cost.completion': 0.001,
    'llm.cost.total': 0.0018,
  });
});

it('Langfuse has it, with a total that it does not have to add up', async () => {
  const details = (await chatAs('langfuse'))['langfuse.observation.cost_details'];
  expect(JSON.parse(String(details))).toEqual({ input: 0.0008, output: 0.001, total: 0.0018 });
});
