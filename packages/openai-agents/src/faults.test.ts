import { AdapterTurn } from '@hermes-observer/adapter';
import { run } from '@openai/agents';
import { afterEach, describe, expect, it } from 'vitest';
import { ModelCalls } from './run/model-calls.js';
import { ObservedRuns } from './run/observed-runs.js';
import { Run } from './run/run.js';
import { ToolCall } from './run/tool-call.js';
import { afterwards, endScenes, observed, planner, sleep } from './scene.test-support.js';

afterEach(endScenes);

describe('a fault of the adapter', () => {
  const faults: [{ constructor: { name: string } }, string][] = [
    [ObservedRuns.prototype, 'start'],
    [ObservedRuns.prototype, 'returned'],
    [ObservedRuns.prototype, 'heard'],
    [ModelCalls.prototype, 'attempt'],
    [ModelCalls.prototype, 'prepare'],
    [Run.prototype, 'attempt'],
    [Run.prototype, 'answered'],
    [Run.prototype, 'toolStarts'],
    [Run.prototype, 'toolEnds'],
    [Run.prototype, 'agentStarts'],
    [Run.prototype, 'end'],
    [ToolCall.prototype, 'runs'],
    [ToolCall.prototype, 'returned'],
    [AdapterTurn.prototype, 'request'],
    [AdapterTurn.prototype, 'tool'],
    [AdapterTurn.prototype, 'emit'],
    [AdapterTurn.prototype, 'end'],
    [AdapterTurn.prototype, 'requestEnded'],
  ];

  it.each(faults.map(([prototype, name]) => [prototype.constructor.name, name, prototype] as const))(
    'stays inside: %s %s',
    async (_, name, prototype) => {
      const uncaught: unknown[] = [];
      const listener = (error: unknown) => uncaught.push(error);
      process.on('uncaughtException', listener);
      process.on('unhandledRejection', listener);
      const original = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
      let thrown = 0;
      afterwards(() => Object.defineProperty(prototype, name, original));
      Object.defineProperty(prototype, name, {
        ...original,
        value: () => {
          thrown++;
          throw new Error('adapter');
        },
      });
      observed();
      const { finalOutput, rawResponses } = await run(planner(), 'x');
      const streamed = await run(planner(), 'x', { stream: true });
      let events = 0;
      for await (const event of streamed) if (event.type === 'run_item_stream_event') events++;
      await sleep(5);
      process.off('uncaughtException', listener);
      process.off('unhandledRejection', listener);
      expect([finalOutput, rawResponses.length, streamed.finalOutput, events]).toEqual(['Sunny.', 2, 'Sunny.', 3]);
      expect(thrown).toBeGreaterThan(0);
      expect(uncaught).toEqual([]);
    },
  );
});
