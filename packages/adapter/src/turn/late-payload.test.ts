import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { KeptSpans } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { Guard } from '../guard.js';
import { scopesOf } from './scope.js';
import { AdapterTurn } from './turn.js';

const guard = new Guard('test', () => {});
const scene = () => {
  const kept = new KeptSpans() as { spans: ReadableSpan[] } & KeptSpans;
  const observer = createObserver({ capture: 'full', exporters: [kept], env: {}, onWarning: () => {} });
  const spans = async () => {
    await observer.shutdown();
    return kept.spans;
  };
  return { observer, spans };
};

describe('what a record says', () => {
  it('is what was the case when it was told, whatever the program changes then', async () => {
    class Args {
      value = 'ORIGINAL';
    }
    const { observer, spans } = scene();
    const message = { role: 'user', content: [{ type: 'text', text: 'ORIGINAL' }] };
    const args = new Args();
    const result = { rows: ['ORIGINAL'] };
    const turn = new AdapterTurn(observer, guard, {});
    const request = turn.request({ model: 'm', messages: [message] });
    const tool = turn.tool({ name: 'live', callId: 'c', args });
    args.value = 'CHANGED';
    Object.assign(message.content[0] as object, { text: 'CHANGED' });
    tool.end({ status: 'ok', result });
    result.rows[0] = 'CHANGED';
    request.end({});
    turn.end();
    const all = JSON.stringify((await spans()).map(({ attributes }) => attributes));
    expect(all).not.toContain('CHANGED');
    expect(all.split('ORIGINAL')).toHaveLength(4);
  });

  it('holds for tokens and calls of an answer, and for what a call and a question are about', async () => {
    const { observer, spans } = scene();
    const turn = new AdapterTurn(observer, guard, {});
    const usage = { prompt_tokens: 10, completion_tokens: 5 };
    const toolCalls = [{ id: 'c', name: 'first', arguments: '{}' }];
    const info = { name: 'first', callId: 'c' };
    const approval = { toolCallId: 'c', toolName: 'first', surface: 'cli' };
    turn.request({ model: 'm' }).end({ usage, toolCalls });
    const tool = turn.tool(info);
    turn.asked(approval);
    turn.answered(approval, 'once');
    usage.prompt_tokens += 90;
    Object.assign(toolCalls[0] as object, { name: 'second' });
    toolCalls.length = 0;
    Object.assign(info, { name: 'second' });
    Object.assign(approval, { toolName: 'second', toolCallId: 'd' });
    tool.end({ status: 'ok' });
    turn.end();
    const all = (await spans()).map(({ name, attributes }) => ({ name, attributes }));
    expect(JSON.stringify(all)).not.toContain('second');
    expect(all.find(({ name }) => name === 'chat m')?.attributes).toMatchObject({
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.output.messages': expect.stringContaining('first'),
    });
    expect(all.map(({ name }) => name)).toContain('execute_tool first');
  });

  it('ends a call whose result cannot be read', async () => {
    const { observer, spans } = scene();
    const turn = new AdapterTurn(observer, guard, {});
    const unreadable = Object.assign(() => 1, {
      toString() {
        throw new Error('unreadable');
      },
    });
    turn.tool({ name: 'x', callId: 'c' }).end({ status: 'ok', result: unreadable });
    turn.end();
    expect((await spans())[0]?.attributes).toMatchObject({ 'hermes.tool.status': 'ok' });
  });

  it('of how long a call took is what its span says, waits and what was before the record included', async () => {
    const { observer, spans } = scene();
    const turn = new AdapterTurn(observer, guard, {});
    const begun = Date.now();
    const earlier = [Math.floor(begun / 1000) - 1, (begun % 1000) * 1e6] as const;
    const backdated = turn.tool({ name: 'earlier', startedAt: [...earlier] });
    turn.tool({ name: 'waits', callId: 'c' });
    await sleep(20);
    turn.tool({ name: 'waits', callId: 'c' }).end({ status: 'ok' });
    backdated.end({ status: 'ok' });
    turn.end();
    const tools = (await spans()).filter(({ name }) => name.startsWith('execute_tool'));
    expect(tools).toHaveLength(2);
    for (const { attributes, startTime, endTime } of tools) {
      const millis = (endTime[0] - startTime[0]) * 1e3 + (endTime[1] - startTime[1]) / 1e6;
      expect(millis).toBeGreaterThan(15);
      expect(Math.abs((attributes['hermes.tool.duration_ms'] as number) - millis)).toBeLessThan(5);
    }
  });

  it('costs a turn that never ends no content', async () => {
    const { observer } = scene();
    const ref = (() => {
      const big = { text: 'x'.repeat(100) };
      const open = new AdapterTurn(observer, guard, { userMessage: [big] });
      open.request({ messages: [big], systemPrompt: big });
      Object.assign(observer, { keepsThe: open });
      return new WeakRef(big);
    })();
    observer.hub.deliverWaiting();
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    for (let i = 0; i < 20 && ref.deref() !== undefined; i++) {
      await sleep(1);
      collectGarbage();
    }
    expect(ref.deref()).toBeUndefined();
    await observer.shutdown();
  });
});

describe('two observers of one run', () => {
  it('have a root each, or one below the span that the program is in', async () => {
    const [one, two] = [scene(), scene()];
    const turns: AdapterTurn[] = [];
    const within = (index: number, fn: () => void) => {
      const { observer } = [one, two][index] as typeof one;
      const turn = new AdapterTurn(observer, guard, {});
      turns.push(turn);
      scopesOf(observer, guard).run({ turn }, fn);
    };
    within(0, () => within(1, () => {}));
    for (const turn of turns) turn.end();
    const [first] = await one.spans();
    const [second] = await two.spans();
    expect([first?.parentSpanContext, second?.parentSpanContext]).toEqual([undefined, undefined]);
  });
});

describe('an observer that fails after it called the function', () => {
  const host = (run: (fn: () => unknown) => unknown) => ({
    hub: { emitLater: () => {}, deliverWaiting: () => {} },
    contextOf: () => undefined,
    traceContext: () => ({}),
    scope: undefined,
    run: (_: unknown, fn: () => unknown) => run(fn),
  });

  it.each([
    [
      'throws',
      (fn: () => unknown) => {
        fn();
        throw new Error('host');
      },
    ],
    ['gives something else', (fn: () => unknown) => void fn()],
    ['does not call it', () => undefined],
  ])('changes no value: it %s', (_, run) => {
    const broken = host(run) as never;
    let calls = 0;
    const value = scopesOf(broken, guard).run({ turn: new AdapterTurn(broken, guard, {}) }, () => {
      calls++;
      return 'v';
    });
    expect([value, calls]).toEqual(['v', 1]);
  });
});
