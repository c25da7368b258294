import { describe, expect, it } from 'vitest';
import { ObserverError } from '../errors.js';
import type { FailureReport } from './failures.js';
import { Hub } from './hub.js';

function quietHub() {
  const reports: FailureReport[] = [];
  const hub = new Hub({ onError: (report) => reports.push(report), producer: 'p1' });
  return { hub, reports };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('on and emit', () => {
  it('calls observers in order of priority, then of registration, those of every hook included', () => {
    const { hub } = quietHub();
    const calls: string[] = [];
    hub.on('a', () => calls.push('second'));
    hub.on('*', () => calls.push('third'));
    hub.on('a', () => calls.push('fourth'));
    hub.on('a', () => calls.push('first'), { priority: -1 });
    hub.on('*', () => calls.push('last'), { priority: 5 });
    hub.emit('a', {});
    expect(calls).toEqual(['first', 'second', 'third', 'fourth', 'last']);
    hub.emit('b', {});
    expect(calls.slice(5)).toEqual(['third', 'last']);
  });

  it('hands over the payload itself and stamped meta', () => {
    const { hub } = quietHub();
    const seen: unknown[] = [];
    const payload = { session_id: 's' };
    hub.on('on_session_start', (got, meta) =>
      seen.push(got === payload, meta.hook, meta.producer, meta.seq, typeof meta.timeUnixNano),
    );
    hub.emit('on_session_start', payload);
    hub.emit('on_session_start', payload);
    expect(seen).toEqual([true, 'on_session_start', 'p1', 1, 'string', true, 'on_session_start', 'p1', 2, 'string']);
  });

  it('keeps the meta it is given, and never mixes identities', () => {
    const { hub } = quietHub();
    const seen: unknown[] = [];
    hub.on('a', (_, meta) => seen.push([meta.producer, meta.seq, meta.timeUnixNano, meta.profile]));
    hub.emit('a', {}, { producer: 'x', seq: 7, timeUnixNano: '1764450000000000001', profile: 'work' });
    hub.emit('a', {}, { seq: 8, timeUnixNano: 1764450000000000002n });
    hub.emit('a', {}, { time: [1, 2] });
    expect(seen).toEqual([
      ['x', 7, '1764450000000000001', 'work'],
      [undefined, 8, '1764450000000000002', undefined],
      ['p1', 1, '1000000002', undefined],
    ]);
  });

  it('draws a producer id of its own', () => {
    expect(new Hub().producer).toMatch(/^[0-9a-f]{16}$/);
    expect(new Hub().producer).not.toBe(new Hub().producer);
  });

  it('builds a payload only for someone, and once', () => {
    const { hub } = quietHub();
    let built = 0;
    const build = () => ({ n: ++built });
    hub.emit('a', build);
    expect(built).toBe(0);
    const seen: unknown[] = [];
    hub.on('a', (payload) => seen.push(payload));
    hub.on('a', (payload) => seen.push(payload));
    hub.emit('a', build);
    expect(seen).toEqual([{ n: 1 }, { n: 1 }]);
    expect(seen[0]).toBe(seen[1]);
  });

  it('ends a subscription once, also twice', () => {
    const { hub } = quietHub();
    let calls = 0;
    const callback = () => calls++;
    const off = hub.on('a', callback);
    hub.on('a', callback);
    expect(hub.has('a')).toBe(true);
    off();
    off();
    hub.emit('a', {});
    expect(calls).toBe(1);
  });

  it('keeps the run in progress when callbacks subscribe and unsubscribe', () => {
    const { hub } = quietHub();
    const calls: string[] = [];
    const off = hub.on('a', () => {
      calls.push('one');
      off();
      offTwo();
      hub.on('a', () => calls.push('late'));
    });
    const offTwo = hub.on('a', () => calls.push('two'));
    hub.emit('a', {});
    expect(calls).toEqual(['one', 'two']);
    hub.emit('a', {});
    expect(calls).toEqual(['one', 'two', 'late']);
  });

  it('refuses bad registrations with a code', () => {
    const { hub } = quietHub();
    const code = (run: () => unknown) => {
      try {
        run();
      } catch (error) {
        return ObserverError.isInstance(error) ? error.code : error;
      }
      return 'nothing';
    };
    expect(code(() => hub.on('', () => {}))).toBe('HO_HOOK_NAME');
    expect(code(() => hub.on('a', 1 as never))).toBe('HO_CALLBACK');
    expect(code(() => hub.on('a', () => {}, { priority: Number.NaN }))).toBe('HO_OPTION');
    expect(code(() => hub.respond('*', () => {}))).toBe('HO_HOOK_NAME');
  });
});

describe('observers fail open', () => {
  it('isolates, counts, and reports each kind once', async () => {
    const { hub, reports } = quietHub();
    const seen: string[] = [];
    hub.on('a', function bad() {
      throw new TypeError('no');
    });
    hub.on('a', async function late() {
      throw new RangeError('later');
    });
    hub.on('a', () => {
      throw null;
    });
    hub.on(
      'a',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: a hostile thenable is the case
        then: () => {
          throw new Error('thenable');
        },
      }),
      { name: 'odd' },
    );
    hub.on('a', () => seen.push('still'));
    hub.emit('a', {});
    hub.emit('a', {});
    await settle();
    expect(seen).toEqual(['still', 'still']);
    expect(hub.stats.failures.observer).toBe(8);
    expect(reports.map((report) => [report.callback, (report.error as Error | null)?.name ?? null])).toEqual([
      ['bad', 'TypeError'],
      ['anonymous', null],
      ['late', 'RangeError'],
      ['odd', 'Error'],
    ]);
    expect(reports[0]?.message).toMatch(/bad \(a\): TypeError at .*hub\.test\.ts:\d+:\d+/);
  });

  it('survives a reporter that throws and a payload function that fails', async () => {
    const hub = new Hub({
      onError: () => {
        throw new Error('reporter');
      },
    });
    let calls = 0;
    hub.on('a', () => calls++);
    hub.emit('a', () => {
      throw new Error('no');
    });
    hub.emit('a', (async () => {
      throw new Error('async');
    }) as never);
    hub.emit('a', undefined as never);
    hub.emit(Symbol('x') as unknown as string, {});
    hub.emit(
      'a',
      {},
      Object.defineProperty({}, 'time', {
        get: () => {
          throw new Error('meta');
        },
      }),
    );
    await settle();
    expect(calls).toBe(2);
    expect(hub.stats.failures).toMatchObject({ payload: 3, hook_name: 1 });
  });

  it.each([
    ['a text', () => new Error('SECRET')],
    ['lines that look like a place', () => new Error('x\n    at SECRET (file:///a.js:1:1)')],
    ['a name', () => Object.assign(new Error(''), { stack: 'Error\n    at f (/a.js:1:2)' })],
    ['a stack of its own', () => Object.assign(new Error('x'), { stack: '    at SECRET' })],
    ['no error', () => 'SECRET'],
    [
      'a stack that throws',
      () =>
        Object.defineProperty(new Error('SECRET'), 'stack', {
          get: () => {
            throw new Error('no');
          },
        }),
    ],
  ])('says nothing of what an error says: %s', (_name, make) => {
    const reports: FailureReport[] = [];
    const hub = new Hub({ onError: (report) => reports.push(report) });
    hub.on('a', () => {
      throw make();
    });
    hub.emit('a', {});
    expect(reports).toHaveLength(1);
    expect(reports[0]?.message).not.toContain('SECRET');
  });

  it('warns on the process by default', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on('warning', listen);
    const hub = new Hub();
    hub.on('a', () => {
      throw new Error('seen');
    });
    hub.emit('a', {});
    hub.emit('a', {});
    await settle();
    process.off('warning', listen);
    expect(
      warnings.filter((warning) => warning.name === 'HermesObserverWarning').map((warning) => warning.message),
    ).toEqual([
      expect.stringMatching(/^observer failure in anonymous \(a\): Error at .*hub\.test\.ts.*; more of this kind/),
    ]);
  });

  it('bounds callbacks that emit in a circle, and works afterwards', () => {
    const { hub } = quietHub();
    let calls = 0;
    hub.on('a', () => {
      calls++;
      hub.emit('b', {});
    });
    hub.on('b', () => hub.emit('a', {}));
    hub.emit('a', {});
    expect(calls).toBe(32);
    expect(hub.stats.failures.recursion).toBe(1);
    hub.emit('a', {});
    expect(calls).toBe(64);
  });

  it('bounds the work of observers that each emit the same hook again', () => {
    const { hub, reports } = quietHub();
    let calls = 0;
    for (let i = 0; i < 2; i++) {
      hub.on('a', () => {
        if (++calls > 1000) throw new Error('far too many');
        hub.emit('a', {});
      });
    }
    hub.emit('a', {});
    expect(calls).toBe(128);
    expect(hub.stats.failures).toMatchObject({ observer: 0, recursion: 65 });
    expect(reports).toHaveLength(1);
    calls = 0;
    hub.emit('a', {});
    expect(calls).toBe(128);
  });

  it('stays usable when the stack runs out in a callback', () => {
    const { hub } = quietHub();
    let calls = 0;
    const dive = (): void => {
      hub.has('a');
      dive();
    };
    hub.on('a', () => {
      calls++;
      if (calls === 1) dive();
    });
    hub.emit('a', {});
    hub.emit('a', {});
    expect(calls).toBe(2);
    expect(hub.stats.failures.observer).toBe(1);
  });

  it('remembers a bounded number of hook names and still delivers', () => {
    const { hub } = quietHub();
    for (let i = 0; i < 5000; i++) hub.emit(`junk_${i}`, {});
    let calls = 0;
    hub.on('later', () => calls++);
    hub.on('*', () => calls++);
    hub.emit('later', {});
    hub.emit('junk_4999', {});
    expect(calls).toBe(3);
  });
});
