import { Anthropic } from '@anthropic-ai/sdk';
import { type Heard, heardBy, KeptSpans } from '@hermes-observer/core/testing';
import { createObserver, type Observer, type ObserverOptions } from '@hermes-observer/otel';
import { OpenAI } from 'openai';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { observeAnthropic, observeOpenAI } from './index.js';
import { LoopbackServer } from './loopback-server.test-support.js';
import type { ClientsOptions } from './options.js';

const ends: (() => void)[] = [];

/** To be called when the test is over. */
export const afterTest = (end: () => void): void => void ends.push(end);

export const server = new LoopbackServer();
beforeAll(() => server.listen());
afterAll(() => server.close());
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

/** A client of the newest version that asks the loopback server. */
export const openAI = (options: ConstructorParameters<typeof OpenAI>[0] = {}): OpenAI =>
  new OpenAI({ apiKey: 'sk', baseURL: `${server.url}/v1`, ...options });
export const anthropic = (options: ConstructorParameters<typeof Anthropic>[0] = {}): Anthropic =>
  new Anthropic({ apiKey: 'sk', baseURL: server.url, ...options });

export interface Scene extends Heard {
  readonly observer: Observer;
  readonly warnings: string[];
  readonly options: ClientsOptions;
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
}

/** Two clients that are observed. */
export function observed(options: ClientsOptions = {}, observerOptions: ObserverOptions = {}): Scene {
  const kept = new KeptSpans();
  const observer = createObserver({ exporters: [kept as never], env: {}, onWarning: () => {}, ...observerOptions });
  const warnings: string[] = [];
  const onWarning = (text: string) => void warnings.push(text);
  const heard = heardBy(observer, kept);
  const all = { observer, onWarning, ...options };
  return {
    ...heard,
    observer,
    warnings,
    options: all,
    openai: observeOpenAI(openAI(), all),
    anthropic: observeAnthropic(anthropic(), all),
  };
}

export const only = <T>(all: readonly T[]): T => {
  expect(all).toHaveLength(1);
  return all[0] as T;
};

export const chat = { model: 'm', messages: [{ role: 'user' as const, content: 'How is the weather?' }] };
export const message = { ...chat, max_tokens: 9 };
export const weather = { id: 'call_1', name: 'weather', args: { city: 'Oslo' } };
