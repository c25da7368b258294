// What the adapter costs: the SDK's own calls with a mock model, with and without it, by turns in one process.
//
// node e2e/adapters/ai-sdk/overhead.mjs, on a quiet machine and after a build
import { instrumentAiSdk } from '@hermes-observer/ai-sdk';
import { createObserver } from '@hermes-observer/otel';
import { generateText, isStepCount, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';

const ROUNDS = 60;
const CALLS = 40;
/** Of the agent that is measured: a request that calls a tool, and one that answers. */
const STEPS = 2;
const MOST_MICROS = 50;
const MOST_SHARE = 0.05;

const usage = { inputTokens: { total: 10, noCache: 10 }, outputTokens: { total: 5, text: 5 } };
const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'weather', input: '{"city":"Oslo"}' };
const answers = [
  { content: [call], usage, warnings: [], finishReason: { unified: 'tool-calls', raw: 'x' } },
  { content: [{ type: 'text', text: 'Sunny.' }], usage, warnings: [], finishReason: { unified: 'stop', raw: 'x' } },
];
const tools = {
  weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async () => ({ temperature: 21 }) }),
};

async function microsOfCalls() {
  const began = performance.now();
  for (let i = 0; i < CALLS; i++) {
    let step = 0;
    const model = new MockLanguageModelV4({ doGenerate: async () => answers[step++] });
    await generateText({ model, tools, stopWhen: isStepCount(3), prompt: 'How is the weather?' });
  }
  return ((performance.now() - began) * 1000) / CALLS;
}

const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];

async function costsLittle() {
  const exporter = { export: (_, done) => done({ code: 0 }), shutdown: async () => {} };
  const observer = createObserver({ exporters: [exporter], env: {} });
  const [without, withIt] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const plain = await microsOfCalls();
    const end = instrumentAiSdk({ observer });
    const observed = await microsOfCalls();
    end();
    // The first ones compile.
    if (round < 10) continue;
    without.push(plain);
    withIt.push(observed);
  }
  await observer.shutdown();
  const plain = median(without);
  const more = median(withIt.map((micros, i) => micros - without[i]));
  const most = Math.max(plain * MOST_SHARE, MOST_MICROS * STEPS);
  const isGood = more <= most;
  console.log(
    `${isGood ? 'ok  ' : 'FAIL'} a run of ${STEPS} steps takes ${plain.toFixed(0)} µs, with the adapter ${more.toFixed(0)} µs more (${(more / STEPS).toFixed(0)} a step), at most ${most.toFixed(0)}`,
  );
  return isGood;
}

process.exitCode = (await costsLittle()) ? 0 : 1;
