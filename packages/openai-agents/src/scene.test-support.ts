import { type Heard, heardBy, KeptSpans } from '@hermes-observer/core/testing';
import { createObserver, type Observer, type ObserverOptions } from '@hermes-observer/otel';
import * as agents from '@openai/agents';
import { z } from 'zod';
import { instrumentOpenAIAgents } from './instrument.js';
import type { OpenAIAgentsOptions } from './options.js';

interface Scene extends Heard {
  readonly observer: Observer;
  readonly warnings: string[];
  readonly end: () => void;
}

const ends: (() => void)[] = [];

/** To be called after each test. */
export function endScenes(): void {
  for (const end of ends.splice(0).reverse()) end();
}

export const afterwards = (end: () => void): void => void ends.push(end);

export function observed(options: OpenAIAgentsOptions = {}, observerOptions: ObserverOptions = {}): Scene {
  const kept = new KeptSpans();
  const observer = createObserver({ exporters: [kept as never], env: {}, onWarning: () => {}, ...observerOptions });
  const warnings: string[] = [];
  const onWarning = (text: string) => void warnings.push(text);
  const heard = heardBy(observer, kept);
  const end = instrumentOpenAIAgents({ agents, observer, onWarning, ...options });
  ends.push(end);
  return { ...heard, observer, warnings, end };
}

export const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis));

export const call = (callId: string, name = 'weather', args: object | string = { city: 'Oslo' }) => ({
  type: 'function_call' as const,
  callId,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
  status: 'completed' as const,
});
export const text = (value = 'Sunny.') => ({
  type: 'message' as const,
  role: 'assistant' as const,
  status: 'completed' as const,
  content: [{ type: 'output_text' as const, text: value }],
});

export type Step = agents.AgentOutputItem[] | Error;

const usage = {
  requests: 1,
  inputTokens: 10,
  outputTokens: 5,
  totalTokens: 15,
  inputTokensDetails: [{ cached_tokens: 6 }],
  outputTokensDetails: [{ reasoning_tokens: 2 }],
};

/** A model that answers from a script, at once or as a stream. */
export class Scripted implements agents.Model {
  readonly model: string;
  readonly #steps: Step[];
  readonly #millis: number;

  constructor(steps: Step[], model = 'm', millis = 0) {
    this.#steps = steps;
    this.model = model;
    this.#millis = millis;
  }

  async getResponse(_request: agents.ModelRequest): Promise<agents.ModelResponse> {
    if (this.#millis > 0) await sleep(this.#millis);
    return { usage: new agents.Usage(usage), output: this.#next() };
  }

  async *getStreamedResponse({ signal }: agents.ModelRequest): AsyncIterable<agents.StreamEvent> {
    yield { type: 'response_started' };
    for (let i = 0; i < 5; i++) {
      yield { type: 'output_text_delta', delta: 'w' };
      await sleep(this.#millis);
      if (signal?.aborted) throw signal.reason;
    }
    yield { type: 'response_done', response: { id: 'r', usage, output: this.#next() as never } };
  }

  #next(): agents.AgentOutputItem[] {
    const step = this.#steps.shift() ?? [text()];
    if (step instanceof Error) throw step;
    return step;
  }
}

export const weather = (
  execute: (args: { city: string }) => unknown = () => ({ temperature: 21 }),
  options: Record<string, unknown> = {},
) =>
  agents.tool({
    name: 'weather',
    description: 'The weather of a city',
    parameters: z.object({ city: z.string() }),
    execute: async (args: { city: string }) => {
      await null;
      return execute(args);
    },
    ...options,
  } as never) as agents.FunctionTool;

/** An agent that asks for the weather and answers. */
export const planner = (
  steps: Step[] = [[call('call_1')], [text()]],
  options: Partial<agents.AgentOptions> = {},
): agents.Agent =>
  new agents.Agent({ name: 'planner', model: new Scripted(steps), tools: [weather()], ...options } as never);

export const TREE = [
  'invoke_agent hermes: completed',
  '  chat m: tool_calls 10>5',
  '  execute_tool weather: ok',
  '  chat m: stop 10>5',
];
