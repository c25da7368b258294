import type { ReadableSpan, Span } from '@hermes-observer/otel';
import { describe, expect, it } from 'vitest';
import { CostCalculator } from './cost-calculator.js';
import { CostSpanProcessor } from './spans/cost-span-processor.js';
import { withCost } from './spans/with-cost.js';

const TOKENS = { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const ask = (calculator: CostCalculator, model: string, provider = 'openai', startMillis = 1.7e12) =>
  calculator.costOf({ provider, requestModel: model, startMillis, tokens: TOKENS });

describe('names made up to do harm', () => {
  it('take no longer than others by a pattern with many stars', () => {
    const calculator = new CostCalculator({
      prices: [{ model: `${'*a'.repeat(20)}*b`, input: 1, output: 1 }],
      list: 'none',
    });
    const start = performance.now();
    expect(ask(calculator, 'a'.repeat(5_000))).toEqual({ status: 'unknown' });
    expect(performance.now() - start).toBeLessThan(500);
  });

  it('take no longer than others by the list', () => {
    const calculator = new CostCalculator();
    const start = performance.now();
    for (const part of ['a', '-', '-1', '-v1', ':1', 'claude-', 'gpt-', 'gemini-', '@20', ' ', 'models/']) {
      for (const provider of ['openai', 'anthropic', 'google', 'openrouter', 'aws', 'azure', 'x-ai', 'groq', part]) {
        ask(calculator, part.repeat(100_000 / part.length), provider);
      }
    }
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('get no price of another request', () => {
    const calculator = new CostCalculator({
      prices: [{ provider: 'p', model: 'm', input: 1, output: 1 }],
      list: 'none',
    });
    calculator.costOf({ provider: 'p\nundefined', requestModel: 'm', startMillis: 0, tokens: TOKENS });
    expect(
      calculator.costOf({
        provider: 'p',
        host: 'undefined\nm',
        requestModel: undefined,
        startMillis: 0,
        tokens: TOKENS,
      }),
    ).toEqual({ status: 'unknown' });
    const other = new CostCalculator({
      prices: [{ provider: 'undefined', model: 'm', input: 1, output: 1 }],
      list: 'none',
    });
    expect(other.costOf({ provider: 'undefined', requestModel: 'm', startMillis: 0, tokens: TOKENS }).status).toBe(
      'exact',
    );
    expect(other.costOf({ requestModel: 'm', startMillis: 0, tokens: TOKENS }).status).toBe('unknown');
  });

  it.each(['constructor', '__proto__', 'toString', '\ud800', '\0', '*', '', ' '])('%j is as any other', (name) => {
    const calculator = new CostCalculator();
    expect(ask(calculator, name).status).toBe('unknown');
    expect(ask(calculator, 'gpt-5', name).status).toBe('unknown');
  });

  it('take little memory, however long they are', () => {
    const calculator = new CostCalculator();
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 1_000; i++) ask(calculator, Buffer.alloc(200_000, `${i} `).toString('latin1'));
    globalThis.gc?.();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60e6);
  }, 60_000);
});

describe('times made up to do harm', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1e20, 1e20])('%d', (millis) => {
    const calculator = new CostCalculator();
    for (const [provider, model] of [
      ['deepseek', 'deepseek-chat'],
      ['openai', 'o3'],
      ['google', 'gemini-2.5-pro'],
      ['anthropic', 'claude-sonnet-4-5'],
    ]) {
      expect(() => ask(calculator, model as string, provider, millis)).not.toThrow();
    }
  });
});

it('absurd prices give no cost that is no number', () => {
  const calculator = new CostCalculator({ prices: [{ model: '*', input: 1e308, output: 1e308 }], list: 'none' });
  const cost = ask(calculator, 'm');
  expect(cost.status === 'unknown' || Number.isFinite(cost.usd)).toBe(true);
  expect(JSON.stringify(cost)).not.toContain('null');
});

describe('a span that cannot be read', () => {
  const span = {
    kind: 2,
    get attributes(): never {
      throw new Error('no');
    },
    spanContext: () => ({ traceId: '', spanId: '', traceFlags: 1 }),
  } as unknown as ReadableSpan;

  it('throws nothing into the provider', () => {
    expect(() => new CostSpanProcessor().onEnding(span as unknown as Span)).not.toThrow();
  });

  it('goes to the exporter as it is, with the others', () => {
    const got: ReadableSpan[] = [];
    const exporter = withCost({
      export: (spans, done) => {
        got.push(...spans);
        done({ code: 0 });
      },
      shutdown: async () => {},
    });
    exporter.export([span], () => {});
    expect(got).toEqual([span]);
  });
});
