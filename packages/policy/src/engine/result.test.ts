import { describe, expect, it } from 'vitest';
import type { PolicyHook } from '../hooks/hook.js';
import { call, PolicyScene } from './scene.test-support.js';

describe('hooks for results', () => {
  const post = (name: string, execute: PolicyHook['execute'], more: Partial<PolicyHook> = {}): PolicyHook => ({
    name,
    event: 'PostToolUse',
    execute,
    ...more,
  });
  const value = (hooks: PolicyHook[], result: unknown = 'secret') =>
    new PolicyScene(hooks).policy.run(call(), () => result);

  it('chain by priority', async () => {
    const add = (text: string) => post(text, ({ result }) => ({ modifiedResult: `${result}${text}` }));
    expect(await value([add('b'), { ...add('a'), priority: 1 }])).toBe('secretab');
  });

  it('see a frozen copy of what is an object', async () => {
    const result = { a: { b: 1 } };
    const evil = post('evil', (context) => {
      (context.result as { a: { b: number } }).a.b = 2;
      return undefined;
    });
    await expect(value([evil], result)).rejects.toMatchObject({ ran: true, verdict: { kind: 'hook_error' } });
    expect(result).toEqual({ a: { b: 1 } });
  });

  it.each<[string, PolicyHook['execute'], string]>([
    ['says no', () => ({ allow: false, error: 'not for you' }), 'denied'],
    [
      'throws',
      () => {
        throw new Error('x');
      },
      'hook_error',
    ],
    ['answers nonsense', () => 5 as never, 'hook_error'],
    ['is late', () => new Promise(() => {}), 'hook_timeout'],
  ])('withhold it where one %s, whatever those behind it say', async (_name, execute, kind) => {
    const scene = new PolicyScene([
      post('p', execute, { timeoutMs: 10 }),
      post('q', () => ({ modifiedResult: 'other' })),
    ]);
    await expect(scene.policy.run(call(), () => 'secret')).rejects.toMatchObject({
      code: 'HO_POLICY_BLOCKED',
      ran: true,
      verdict: { kind, by: ['p'] },
    });
    expect(scene.gates()).toEqual([`p deny ${kind}`, 'q modify modified']);
  });

  it('only say so in mode observe, or with onError allow', async () => {
    const no = () => ({ allow: false });
    const boom = () => {
      throw new Error('x');
    };
    expect(await value([post('p', no, { mode: 'observe' }), post('q', boom, { onError: 'allow' })])).toBe('secret');
  });
});
