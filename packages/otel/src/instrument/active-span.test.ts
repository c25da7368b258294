import { context, createContextKey, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Scene, sleep, treeOf, useContextManager } from './scene.test-support.js';

let removeManager = () => {};
beforeAll(() => {
  removeManager = useContextManager();
});
afterAll(() => removeManager());

/** A user's own SDK, which gets our spans too. */
function sdk() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = provider.getTracer('app');
  const work = async (name: string) => {
    const span = tracer.startSpan(name);
    await sleep(1);
    span.end();
  };
  return { exporter, tracer, work, scene: new Scene({ tracerProvider: provider }) };
}

describe('the active span', () => {
  it('has the spans of other instrumentation below it, in an SDK of the user’s', async () => {
    const { exporter, work, scene } = sdk();
    await scene.observer.turn({}, async (turn) => {
      await work('db in turn');
      await turn.request({ model: 'm' }, () => work('http to model'));
      await Promise.all(
        ['a', 'b'].map((name) =>
          turn.tool({ name, args: {} }, async (_args, call) => {
            await sleep(1);
            await work(`http in ${name}`);
            await call.subagent({ role: `of ${name}` }, async (child) => {
              await work(`db in child of ${name}`);
              await child.tool({ name: `${name} inner`, args: {} }, () => work(`http in ${name} inner`));
            });
          }),
        ),
      );
    });
    expect(treeOf(exporter.getFinishedSpans())).toEqual([
      'invoke_agent hermes',
      '  chat m',
      '    http to model',
      '  db in turn',
      ...['a', 'b'].flatMap((name) => [
        `  execute_tool ${name}`,
        `    http in ${name}`,
        `    invoke_agent of ${name}`,
        `      db in child of ${name}`,
        `      execute_tool ${name} inner`,
        `        http in ${name} inner`,
      ]),
    ]);
  });

  it('takes attributes', async () => {
    const scene = new Scene();
    await scene.observer.turn({}, async (turn) => {
      trace.getActiveSpan()?.setAttribute('app.where', 'turn');
      await turn.request({ model: 'm' }, () => trace.getActiveSpan()?.setAttribute('app.where', 'request'));
      await turn.tool({ name: 'a', args: {} }, async () => {
        await sleep(1);
        trace.getActiveSpan()?.setAttribute('app.where', 'tool');
      });
      await turn.subagent({ role: 'leaf' }, () => trace.getActiveSpan()?.setAttribute('app.where', 'child'));
    });
    for (const [name, where] of [
      ['invoke_agent hermes', 'turn'],
      ['chat m', 'request'],
      ['execute_tool a', 'tool'],
      ['invoke_agent leaf', 'child'],
    ] as const) {
      expect((await scene.span(name)).attributes['app.where']).toBe(where);
    }
  });

  it('is active in a generator of the agent’s, between its chunks', async () => {
    const { exporter, work, scene } = sdk();
    const answer = await scene.observer.turn({ model: 'm' }, async function* (turn) {
      await work('before');
      for await (const chunk of await turn.request({}, async function* () {
        await work('http');
        yield 'a';
        yield 'b';
      })) {
        await work(`between ${chunk}`);
        yield chunk;
      }
      await turn.tool({ name: 't', args: {} }, () => work('in tool'));
    });
    const chunks: string[] = [];
    for await (const chunk of answer) {
      chunks.push(chunk);
      expect(trace.getActiveSpan()).toBeUndefined();
    }
    expect(chunks).toEqual(['a', 'b']);
    expect(treeOf(exporter.getFinishedSpans())).toEqual([
      'invoke_agent hermes',
      '  before',
      '  between a',
      '  between b',
      '  chat m',
      '    http',
      '  execute_tool t',
      '    in tool',
    ]);
    expect(scene.payloads('post_llm_call')[0]).toMatchObject({ assistant_response: 'ab' });
  });

  it('leaves what else the application has in its context', async () => {
    const scene = new Scene();
    const key = createContextKey('app');
    const baggage = propagation.createBaggage({ tenant: { value: 'ä b' } });
    await context.with(propagation.setBaggage(ROOT_CONTEXT.setValue(key, 7), baggage), () =>
      scene.observer.turn({}, (turn) =>
        turn.tool({ name: 'a', args: {} }, async () => {
          await sleep(1);
          expect(context.active().getValue(key)).toBe(7);
          expect(propagation.getActiveBaggage()?.getEntry('tenant')?.value).toBe('ä b');
        }),
      ),
    );
    expect(context.active()).toBe(ROOT_CONTEXT);
  });

  it('has the baggage of the caller that the turn was told of', async () => {
    const scene = new Scene();
    const traceContext = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, baggage: 'tenant=x' };
    await scene.observer.turn({ traceContext }, () => {
      expect(propagation.getActiveBaggage()?.getEntry('tenant')?.value).toBe('x');
    });
    const root = await scene.span('invoke_agent hermes');
    expect(root.parentSpanContext).toMatchObject({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) });
  });

  it('makes a turn the child of the span it starts in, baggage included', async () => {
    const { exporter, tracer, scene } = sdk();
    const outer = tracer.startSpan('http request');
    const active = propagation.setBaggage(
      trace.setSpan(ROOT_CONTEXT, outer),
      propagation.createBaggage({ 'a key': { value: 'ü,;' } }),
    );
    let seen: unknown;
    scene.hub.on('pre_llm_call', (_payload, meta) => {
      seen = meta.traceContext;
    });
    await context.with(active, () => scene.observer.turn({}, () => undefined));
    outer.end();
    expect(treeOf(exporter.getFinishedSpans())).toEqual(['http request', '  invoke_agent hermes']);
    expect(seen).toMatchObject({ baggage: `a key=${encodeURIComponent('ü,;')}` });
  });
});
