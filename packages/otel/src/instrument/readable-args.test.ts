import { describe, expect, it } from 'vitest';
import { readableArgs } from './readable-args.js';
import { rejection, Scene } from './scene.test-support.js';

const boom = (): never => {
  throw new Error('trap');
};
const getter = () => ({
  path: '/a',
  inner: {
    get bad(): never {
      return boom();
    },
    good: 1,
  },
});

describe('arguments for a guard', () => {
  it('are the object itself where they are plain data', () => {
    const cyclic: Record<string, unknown> = { list: [1, { a: new Map() }], date: new Date(0), fn: () => 1 };
    cyclic.self = cyclic;
    for (const args of [cyclic, [1, 2], 'text', null, undefined, new Map()]) expect(readableArgs(args)).toBe(args);
  });

  it('leave out what cannot be read', () => {
    expect(readableArgs(getter())).toEqual({ path: '/a', inner: { good: 1 } });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(readableArgs({ a: 1, gone: proxy, list: [proxy, 2] })).toEqual({ a: 1, list: [undefined, 2] });
    expect(readableArgs(new Proxy({}, { ownKeys: boom }))).toEqual({});
    expect(
      readableArgs(
        new Proxy({ a: 1, b: 2 }, { get: (target, key) => (key === 'a' ? boom() : Reflect.get(target, key)) }),
      ),
    ).toEqual({ b: 2 });
  });

  it('keep cycles, and keys that mean something to objects', () => {
    const args: Record<string, unknown> = JSON.parse('{"__proto__":{"x":1}}');
    args.self = args;
    Object.defineProperty(args, 'bad', { get: boom, enumerable: true });
    const copy = readableArgs(args) as Record<string, unknown>;
    expect(copy === args).toBe(false);
    expect(copy.self).toBe(copy);
    expect(Object.keys(copy)).toEqual(['__proto__', 'self']);
    expect((copy as { x?: unknown }).x).toBeUndefined();
  });
});

describe('a guarded call whose arguments cannot be read', () => {
  it.each<[string, object]>([
    ['a getter that throws', getter()],
    ['a proxy', new Proxy({}, { get: boom, ownKeys: boom, getPrototypeOf: boom })],
    ['a proxy without keys', new Proxy({}, { ownKeys: boom })],
  ])('%s: runs when the guard allows it, with its own arguments', async (_name, args) => {
    const scene = new Scene();
    scene.hub.respond('pre_tool_call', () => ({ action: 'allow' }));
    const same = await scene.observer.turn({}, (turn) =>
      turn.tool({ name: 'a', args }, (given) => Object.is(given, args)),
    );
    expect(same).toBe(true);
  });

  it('is blocked by a guard that blocks, or that fails for want of them', async () => {
    for (const guard of [
      () => ({ action: 'block', message: 'no' }),
      ({ args }: { args?: unknown }) => void (args as { inner: { bad: string } }).inner.bad.length,
    ]) {
      const scene = new Scene();
      scene.hub.respond('pre_tool_call', guard);
      const error = await rejection(
        scene.observer.turn({}, (turn) => turn.tool({ name: 'a', args: getter() }, () => 1)),
      );
      expect(error).toMatchObject({ code: 'HO_TOOL_BLOCKED' });
    }
  });

  it('gets the changes of a guard', async () => {
    const scene = new Scene();
    scene.hub.respond('pre_tool_call', () => ({ action: 'modify', args: { path: '/b' } }));
    const args = await scene.observer.turn({}, (turn) => turn.tool({ name: 'a', args: getter() }, (given) => given));
    expect(args).toEqual({ path: '/b', inner: { good: 1 } });
  });

  it('may have a `then`', async () => {
    const scene = new Scene();
    scene.hub.respond('pre_tool_call', () => ({ action: 'allow' }));
    const args = Object.fromEntries([['then', () => boom()]]);
    expect(await scene.observer.turn({}, (turn) => turn.tool({ name: 'a', args }, (given) => given === args))).toBe(
      true,
    );
  });
});
