import { createObserver, type ReadableSpan } from '@hermes-observer/otel';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { CostSpanProcessor } from './cost-span-processor.js';
import { withCost } from './with-cost.js';

const COST = {
  'hermes.cost.usd': 0.00225,
  'hermes.cost.input_usd': 0.00125,
  'hermes.cost.output_usd': 0.001,
  'hermes.cost.source': 'genai-prices',
  'hermes.cost.version': '0.1.8',
  'hermes.cost.status': 'exact',
};

/** A turn with a request, a tool and an auxiliary request. */
async function runTurn(options: Parameters<typeof createObserver>[0]): Promise<void> {
  const observer = createObserver({ env: {}, ...options });
  await observer.turn({ sessionId: 's' }, async (turn) => {
    await turn.request({ model: 'gpt-5', provider: 'openai' }, (request) =>
      request.report({ usage: { inputTokens: 1000, outputTokens: 100 } }),
    );
    await turn.tool({ name: 'search', args: {} }, () => 'found');
    const aux = { session_id: 's', turn_id: turn.turnId, aux_task: 'title_generation', api_request_id: 'x' };
    observer.hub.emit('pre_auxiliary_call', { ...aux, model: 'mock', provider: 'openai' });
    observer.hub.emit('post_auxiliary_call', { ...aux, usage: { prompt_tokens: 5, output_tokens: 1 } });
  });
  await observer.shutdown();
}

const costsOf = (spans: readonly ReadableSpan[]) =>
  Object.fromEntries(
    spans.map(({ name, attributes }) => [
      name,
      Object.fromEntries(Object.entries(attributes).filter(([key]) => key.startsWith('hermes.cost.'))),
    ]),
  );

const EXPECTED = {
  'chat gpt-5': COST,
  'chat mock': { 'hermes.cost.status': 'unknown' },
  'execute_tool search': {},
  'invoke_agent hermes': {},
};

describe('the cost of requests', () => {
  it('is on chat spans alone, for every exporter and every processor behind', async () => {
    const memory = new InMemorySpanExporter();
    const seen: ReadableSpan[] = [];
    const watch = {
      onStart() {},
      onEnd: (span: ReadableSpan) => void seen.push(span),
      forceFlush: async () => {},
      shutdown: async () => {},
    };
    const kept: ReadableSpan[] = [];
    const exporter: SpanExporter = {
      export: (spans, done) => {
        kept.push(...spans);
        done({ code: 0 });
      },
      shutdown: async () => {},
    };
    await runTurn({ exporters: [exporter, withCost(memory)], processors: [watch, new CostSpanProcessor()] });
    expect(costsOf(kept)).toEqual(EXPECTED);
    expect(costsOf(seen)).toEqual(EXPECTED);
  });

  it('is put on by an exporter too, on a copy', async () => {
    const plain: ReadableSpan[] = [];
    const costly: ReadableSpan[] = [];
    const into = (list: ReadableSpan[]): SpanExporter => ({
      export: (spans, done) => {
        list.push(...spans);
        done({ code: 0 });
      },
      shutdown: async () => {},
    });
    await runTurn({ exporters: [into(plain), withCost(into(costly))] });
    expect(costsOf(costly)).toEqual(EXPECTED);
    expect(Object.values(costsOf(plain))).toEqual([{}, {}, {}, {}]);
    expect(costly.map((span) => span.spanContext().spanId)).toEqual(plain.map((span) => span.spanContext().spanId));
  });

  it('is on the spans of a provider of the SDK', async () => {
    const memory = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(memory), new CostSpanProcessor()],
    });
    await runTurn({ tracerProvider });
    expect(costsOf(memory.getFinishedSpans() as unknown as ReadableSpan[])).toEqual(EXPECTED);
  });

  it("is asked for by an option, with prices of one's own as well", async () => {
    const list: ReadableSpan[] = [];
    const exporter: SpanExporter = {
      export: (spans, done) => {
        list.push(...spans);
        done({ code: 0 });
      },
      shutdown: async () => {},
    };
    await runTurn({ exporters: [exporter], cost: true });
    expect(costsOf(list.splice(0))).toEqual(EXPECTED);
    await runTurn({ exporters: [exporter], cost: false });
    expect(Object.values(costsOf(list.splice(0)))).toEqual([{}, {}, {}, {}]);
    await runTurn({ exporters: [exporter], cost: { prices: [{ model: '*', input: 1000, output: 1000 }] } });
    expect(costsOf(list)['chat gpt-5']).toMatchObject({ 'hermes.cost.usd': 1.1, 'hermes.cost.source': 'table' });
    const wrong = { prices: [{ model: '*' }] };
    expect(() => createObserver({ cost: wrong, exporters: [exporter], env: {} })).toThrow(
      expect.objectContaining({ code: 'HO_OPTION' }),
    );
    const tracerProvider = new BasicTracerProvider();
    expect(() => createObserver({ cost: true, tracerProvider, env: {} })).toThrow(
      expect.objectContaining({ code: 'HO_OPTION' }),
    );
  });

  it('stays as it is where a span has one', async () => {
    const list: ReadableSpan[] = [];
    const exporter: SpanExporter = {
      export: (spans, done) => {
        list.push(...spans);
        done({ code: 0 });
      },
      shutdown: async () => {},
    };
    const prices = [{ model: '*', input: 1000, output: 1000 }];
    await runTurn({ exporters: [withCost(exporter, { prices })], processors: [new CostSpanProcessor()] });
    expect(costsOf(list)).toEqual(EXPECTED);
  });
});
