import { describe, expect, it } from 'vitest';
import { Hub } from './hub.js';

const hubOf = () => new Hub({ onError: () => {} });
const payload = () => ({ tool_name: 'terminal', args: { command: 'ls', nested: { a: 1 } } as Record<string, unknown> });

describe('ask pre_tool_call', () => {
  it('allows when nobody answers, with the very arguments', async () => {
    const hub = hubOf();
    const asked = payload();
    const alone = await hub.ask('pre_tool_call', asked);
    expect(alone).toEqual({ decision: 'allow', args: asked.args, by: [] });
    expect(alone.args).toBe(asked.args);
    hub.respond('pre_tool_call', () => undefined);
    hub.respond('pre_tool_call', async () => null);
    expect((await hub.ask('pre_tool_call', asked)).args).toBe(asked.args);
    expect(hub.stats.asked).toBe(1);
  });

  it('never tells observers, and observers are never asked', async () => {
    const hub = hubOf();
    let observed = 0;
    hub.on('*', () => {
      observed++;
      return { action: 'block', message: 'no' };
    });
    expect((await hub.ask('pre_tool_call', payload())).decision).toBe('allow');
    expect(observed).toBe(0);
    expect(hub.hasResponder('pre_tool_call')).toBe(false);
  });

  it.each([[['approve', 'block']], [['block', 'approve']]])('lets a block win: %j', async (order) => {
    const hub = hubOf();
    for (const action of order) {
      hub.respond('pre_tool_call', async () => ({ action, message: `${action} it` }), { name: action });
    }
    expect(await hub.ask('pre_tool_call', payload())).toMatchObject({
      decision: 'block',
      reason: 'block it',
      kind: 'denied',
      by: ['block'],
    });
  });

  it('asks for approval with the first reason and key', async () => {
    const hub = hubOf();
    hub.respond('pre_tool_call', () => ({ action: 'approve', message: 'sure?', rule_key: 'k' }), {
      name: 'b',
      priority: 2,
    });
    hub.respond('pre_tool_call', () => ({ action: 'approve' }), { name: 'a', priority: 1 });
    const args = payload().args;
    expect(await hub.ask('pre_tool_call', payload())).toEqual({ decision: 'approve', args, by: ['a', 'b'] });
    hub.respond('pre_tool_call', () => ({ action: 'approve', message: 'first', rule_key: 'r' }), {
      name: 'c',
      priority: 0,
    });
    expect(await hub.ask('pre_tool_call', payload())).toEqual({
      decision: 'approve',
      args,
      reason: 'first',
      ruleKey: 'r',
      by: ['c', 'a', 'b'],
    });
  });

  it('adds changes up, shows them to the next, and leaves the caller alone', async () => {
    const hub = hubOf();
    const seen: unknown[] = [];
    const change: Record<string, unknown> = { command: 'ls -l', extra: { deep: 1 } };
    hub.respond('pre_tool_call', () => ({ action: 'modify', args: change }), { name: 'one' });
    hub.respond(
      'pre_tool_call',
      (got) => {
        seen.push(got.args);
        (change.extra as { deep: number }).deep = 666;
        return { action: 'modify', args: { command: 'pwd' } };
      },
      { name: 'two' },
    );
    const asked = payload();
    const result = await hub.ask('pre_tool_call', asked);
    expect(seen).toEqual([{ command: 'ls -l', nested: { a: 1 }, extra: { deep: 1 } }]);
    expect(result).toEqual({
      decision: 'allow',
      args: { command: 'pwd', nested: { a: 1 }, extra: { deep: 1 } },
      by: ['one', 'two'],
    });
    expect(asked).toEqual(payload());
    result.args.more = 1;
  });

  it('blocks when a guard tries to change the arguments in place', async () => {
    const hub = hubOf();
    hub.respond('pre_tool_call', (got) => {
      (got.args as { nested: { a: number } }).nested.a = 2;
    });
    const asked = payload();
    expect(await hub.ask('pre_tool_call', asked)).toMatchObject({ decision: 'block', kind: 'hook_error' });
    expect(asked).toEqual(payload());
  });

  it.each([
    { action: 'block' },
    { action: 'block', message: ' ' },
    { action: 'BLOCK', message: 'no' },
    { action: 'modify', args: {} },
    { action: 'modify', args: [1] },
    'block',
    false,
    7,
    {},
    [],
  ])('blocks by an answer of no known shape, and counts it: %j', async (answer) => {
    const hub = hubOf();
    hub.respond('pre_tool_call', () => ({ action: 'approve' }), { name: 'first' });
    hub.respond('pre_tool_call', () => answer, { name: 'odd' });
    expect(await hub.ask('pre_tool_call', payload())).toMatchObject({
      decision: 'block',
      kind: 'hook_error',
      reason: 'pre_tool_call guard odd gave an answer of no known shape',
      by: ['odd'],
    });
    expect(hub.stats.failures.directive).toBe(1);
  });

  it('shows arguments that are no object as they are', async () => {
    const hub = hubOf();
    const seen: unknown[] = [];
    hub.respond('pre_tool_call', ({ args }) => void seen.push(args));
    const given = ['rm -rf /', 7, null, undefined, ['a']];
    for (const args of given) await hub.ask('pre_tool_call', { tool_name: 'terminal', args: args as never });
    expect(seen).toEqual(given);
  });

  it('gives no text of an error as a reason', async () => {
    const hub = hubOf();
    hub.respond('pre_tool_call', () => JSON.parse('SECRET'), { name: 'parser' });
    const { reason } = await hub.ask('pre_tool_call', payload());
    expect(reason).toBe('pre_tool_call guard parser failed');
  });

  it('fails closed: throw, rejection, hostile answer, timeout, abort, unreadable payload', async () => {
    const failing: [unknown, string][] = [
      [
        () => {
          throw new Error('boom');
        },
        'hook_error',
      ],
      [() => Promise.reject(new Error('boom')), 'hook_error'],
      [
        () =>
          new Proxy(
            {},
            {
              get: () => {
                throw new Error('boom');
              },
            },
          ),
        'hook_error',
      ],
      [
        () => ({
          get action() {
            throw new Error('boom');
          },
        }),
        'hook_error',
      ],
      [() => new Promise(() => {}), 'hook_timeout'],
    ];
    for (const [callback, kind] of failing) {
      const hub = hubOf();
      hub.respond('pre_tool_call', callback as () => unknown, { name: 'g' });
      const result = await hub.ask('pre_tool_call', payload(), { timeoutMs: 10 });
      expect(result).toMatchObject({ decision: 'block', kind, by: ['g'] });
      expect(result.reason).toContain('pre_tool_call guard g');
      expect(hub.stats.failures.responder).toBe(1);
    }
    const hub = hubOf();
    hub.respond('pre_tool_call', () => new Promise(() => {}));
    const controller = new AbortController();
    const pending = hub.ask('pre_tool_call', payload(), { signal: controller.signal });
    controller.abort();
    expect(await pending).toMatchObject({ decision: 'block', kind: 'hook_aborted' });
    expect(await hub.ask('pre_tool_call', payload(), { signal: controller.signal })).toMatchObject({
      kind: 'hook_aborted',
    });
    const unreadable = {
      get args(): never {
        throw new Error('no');
      },
    };
    expect(await hub.ask('pre_tool_call', unreadable)).toMatchObject({ decision: 'block', kind: 'hook_error' });
    const deep = {
      args: {
        get command(): never {
          throw new Error('no');
        },
      },
    };
    expect(await hub.ask('pre_tool_call', deep)).toMatchObject({ decision: 'block', kind: 'hook_error' });
  });

  it('ignores late answers and late rejections', async () => {
    const hub = hubOf();
    let late: (error: Error) => void = () => {};
    hub.respond(
      'pre_tool_call',
      () =>
        new Promise((_, reject) => {
          late = reject;
        }),
    );
    expect(await hub.ask('pre_tool_call', payload(), { timeoutMs: 1 })).toMatchObject({ kind: 'hook_timeout' });
    late(new Error('late'));
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

describe('arguments that a responder fixes', () => {
  it('are run as they were, whatever the caller does to its own meanwhile', async () => {
    const hub = hubOf();
    const asked = payload();
    hub.respond('pre_tool_call', async ({ args }) => {
      asked.args.command = 'rm -rf /';
      await new Promise((resolve) => setTimeout(resolve, 1));
      (asked.args.nested as { a: number }).a = 666;
      return { action: 'modify', args: args as Record<string, unknown>, exact: true };
    });
    const { decision, args } = await hub.ask('pre_tool_call', asked);
    asked.args.more = 1;
    expect({ decision, args }).toEqual({ decision: 'allow', args: { command: 'ls', nested: { a: 1 } } });
    expect(Object.isFrozen(args) && Object.isFrozen(args.nested)).toBe(true);
  });

  it('replace all others, and are not the responder’s to change either', async () => {
    const hub = hubOf();
    const own = { only: { deep: 1 } };
    hub.respond('pre_tool_call', () => ({ action: 'modify', args: own, exact: true }), { name: 'policy' });
    hub.respond(
      'pre_tool_call',
      ({ args }) => {
        own.only.deep = 2;
        expect(args).toEqual({ only: { deep: 1 } });
        return { action: 'approve' };
      },
      { name: 'later' },
    );
    expect(await hub.ask('pre_tool_call', payload())).toEqual({
      decision: 'approve',
      args: { only: { deep: 1 } },
      by: ['later'],
    });
  });

  it.each([{}, { exact: true }])('cannot be changed by another: that blocks (%j)', async (more) => {
    const hub = hubOf();
    hub.respond('pre_tool_call', () => ({ action: 'modify', args: {}, exact: true }), { name: 'policy' });
    hub.respond('pre_tool_call', () => ({ action: 'modify', args: { command: 'rm' }, ...more }), { name: 'other' });
    expect(await hub.ask('pre_tool_call', payload())).toMatchObject({
      decision: 'block',
      kind: 'hook_error',
      reason: 'pre_tool_call guard other changed arguments that policy had fixed',
    });
  });

  it('may be fixed once more as they are', async () => {
    const hub = hubOf();
    for (const name of ['one', 'two']) {
      hub.respond('pre_tool_call', () => ({ action: 'modify', args: { deep: [1] }, exact: true }), { name });
    }
    expect(await hub.ask('pre_tool_call', payload())).toEqual({
      decision: 'allow',
      args: { deep: [1] },
      by: ['one'],
    });
  });

  it('may be a list, and nothing that is no object', async () => {
    for (const [args, decision] of [
      [['a'], 'allow'],
      ['a', 'block'],
      [new Date(0), 'block'],
      [undefined, 'block'],
    ] as const) {
      const hub = hubOf();
      hub.respond('pre_tool_call', () => ({ action: 'modify', args, exact: true }));
      expect((await hub.ask('pre_tool_call', { tool_name: 't', args: ['b'] as never })).decision).toBe(decision);
    }
    const hub = hubOf();
    hub.respond('pre_tool_call', () => ({ action: 'modify', args: { a: 1 }, exact: 'yes' }));
    expect((await hub.ask('pre_tool_call', payload())).decision).toBe('block');
  });
});

describe('a block with a kind', () => {
  it('says it, and one that nobody knows is no answer', async () => {
    for (const [kind, told] of [
      ['expired', 'expired'],
      ['already_run', 'already_run'],
      [undefined, 'denied'],
      ['Denied!', 'hook_error'],
    ] as const) {
      const hub = hubOf();
      hub.respond('pre_tool_call', () => ({ action: 'block', message: 'no', kind }));
      expect((await hub.ask('pre_tool_call', payload())).kind).toBe(told);
    }
  });
});

describe('a time limit of a responder’s own', () => {
  it('counts instead of the asker’s, in both directions', async () => {
    const hub = hubOf();
    hub.respond('pre_tool_call', () => new Promise((resolve) => setTimeout(resolve, 40)), {
      name: 'person',
      timeoutMs: Number.POSITIVE_INFINITY,
    });
    expect((await hub.ask('pre_tool_call', payload(), { timeoutMs: 1 })).decision).toBe('allow');
    hub.respond('pre_tool_call', () => new Promise(() => {}), { name: 'short', timeoutMs: 1 });
    expect(await hub.ask('pre_tool_call', payload(), { timeoutMs: 60_000 })).toMatchObject({
      kind: 'hook_timeout',
      by: ['short'],
    });
  });

  it('ends with the signal all the same', async () => {
    const hub = hubOf();
    hub.respond('pre_tool_call', () => new Promise(() => {}), { timeoutMs: Number.POSITIVE_INFINITY });
    const signal = AbortSignal.timeout(5);
    expect((await hub.ask('pre_tool_call', payload(), { signal })).kind).toBe('hook_aborted');
  });

  it.each([-1, Number.NaN, '5', null])('is refused when it is no number of milliseconds: %j', (timeoutMs) => {
    expect(() => hubOf().respond('pre_tool_call', () => {}, { timeoutMs: timeoutMs as never })).toThrow('timeoutMs');
  });
});
