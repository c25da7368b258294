import { createObserver } from '@hermes-observer/otel';
import { describe, expect, it } from 'vitest';
import { Guard } from '../guard.js';
import type { AdapterHost } from '../host.js';
import { scopesOf } from './scope.js';
import { AdapterTurn } from './turn.js';

const quiet = () => new Guard('test', () => {});
const observer = () => createObserver({ exporters: [], env: {}, onWarning: () => {} });

describe('a scope', () => {
  it('is one storage for all adapters of a host, and makes its span the active one', () => {
    const host = observer();
    const scopes = scopesOf(host, quiet());
    expect(scopesOf(host, quiet())).toBe(scopes);
    expect(scopesOf(observer(), quiet())).not.toBe(scopes);
    const turn = new AdapterTurn(host, quiet(), {});
    const tool = turn.tool({ name: 'x', callId: 'c' });
    const inTool = scopes.run({ turn, tool }, () => host.traceContext().traceparent);
    expect(inTool).toBe(host.traceContext({ turnId: turn.turnId, toolCallId: 'c' }).traceparent);
    expect(inTool).toMatch(/^00-/);
    expect(scopes.getStore()).toBeUndefined();
  });

  it('calls its function once, with its arguments, whatever the host does; its error comes through', () => {
    const broken = {
      hub: { emitLater: () => {}, deliverWaiting: () => {} },
      contextOf: () => undefined,
      scope: undefined,
      run: () => {
        throw new Error('host');
      },
      traceContext: () => ({}),
    } as AdapterHost;
    const guard = quiet();
    const scopes = scopesOf(broken, guard);
    const turn = new AdapterTurn(broken, guard, {});
    let calls = 0;
    const add = (a: number, b: number) => {
      calls++;
      return a + b;
    };
    expect(scopes.run({ turn }, add, 1, 2)).toBe(3);
    expect(calls).toBe(1);
    expect(guard.failures).toBe(1);
    const error = new Error('of the program');
    const fails = () => {
      throw error;
    };
    expect(() => scopesOf(observer(), guard).run({ turn }, fails)).toThrow(error);
  });
});
