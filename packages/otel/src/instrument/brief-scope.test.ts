// No context manager is registered here, and no scope entered before: the order of the tests is a part of them.
import { describe, expect, it } from 'vitest';
import { ROOT_CONTEXT } from '../api/context.js';
import { setSpanContext } from '../api/trace.js';
import { Scene, sleep, useContextManager } from './scene.test-support.js';

/** Before this one a storage makes each promise dearer. */
const isDear = Number.parseInt(process.versions.node, 10) < 24;

describe('a brief scope', () => {
  const { observer } = new Scene();
  const scopeOf = (id: string) => {
    const spanContext = { traceId: id.repeat(32), spanId: id.repeat(16), traceFlags: 1 };
    return { context: setSpanContext(ROOT_CONTEXT, spanContext) };
  };
  const [a, b] = [scopeOf('a'), scopeOf('b')];
  const active = () => observer.traceContext().traceparent?.at(3);
  const isActiveLater = async () => {
    await sleep(1);
    return observer.scope;
  };

  it('ends with the first await where nothing needs more, and nests', async () => {
    const later = observer.run(
      a,
      () => {
        expect([observer.scope, active()]).toEqual([a, 'a']);
        observer.run(b, () => expect([observer.scope, active()]).toEqual([b, 'b']), true);
        expect(active()).toBe('a');
        return isActiveLater();
      },
      true,
    );
    expect([observer.scope, active()]).toEqual([undefined, undefined]);
    expect(await later).toBe(isDear ? undefined : a);
    expect(() => observer.run(a, () => JSON.parse('{'), true)).toThrow(SyntaxError);
    expect(observer.scope).toBeUndefined();
  });

  it('gives way to one that is kept', async () => {
    const later = observer.run(
      a,
      () => {
        const inner = observer.run(b, () => {
          expect([observer.scope, active()]).toEqual([b, 'b']);
          return isActiveLater();
        });
        expect([observer.scope, active()]).toEqual([a, 'a']);
        return inner;
      },
      true,
    );
    expect(observer.scope).toBeUndefined();
    expect(await later).toBe(b);
  });

  it('gives way to a turn', async () => {
    await observer.run(
      a,
      () =>
        observer.turn({}, async () => {
          const own = active();
          await sleep(1);
          expect([own !== 'a', observer.scope !== a, active()]).toEqual([true, true, own]);
        }),
      true,
    );
  });

  it('is kept once another one was, or where a context manager is', async () => {
    expect(await observer.run(a, isActiveLater, true)).toBe(a);
    const remove = useContextManager();
    try {
      expect(await observer.run(b, isActiveLater, true)).toBe(b);
    } finally {
      remove();
    }
  });
});
