import { createObserver } from '@hermes-observer/otel';
import { describe, expect, it } from 'vitest';
import { checkCallback, checkOptions } from './check-options.js';
import type { AdapterHost } from './host.js';
import { withSession } from './session.js';

const observer = createObserver({ exporters: [], env: {} });
const known = { sessionKey: 'string', frameworkSpans: ['warn', 'keep', 'yield'] } as const;
const needing = { module: { is: (value: unknown) => value === 1, must: 'be one', isNeeded: true } } as const;
const refusal = (text: string) =>
  expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(text) });
const fn = () => {};

describe('options', () => {
  it('that are right, absent or undefined pass', () => {
    checkOptions('observe', undefined, known);
    checkOptions('observe', {}, known);
    checkOptions('observe', { observer, onWarning: fn, sessionKey: 'x', frameworkSpans: 'yield' }, known);
    checkOptions('observe', { observer: undefined, observr: undefined, sessionKey: undefined }, known);
    checkOptions('observe', { observer, module: 1 }, needing);
  });

  it('may have any object as observer that has what adapters need', () => {
    const host = { hub: { emitLater: fn, deliverWaiting: fn }, contextOf: fn, run: fn, traceContext: fn };
    checkOptions('observe', { observer: host as unknown as AdapterHost }, known);
    const { hub, ...others } = host;
    for (const wrong of [{}, others, { hub }, { ...host, hub: {} }, null, 'x', observer.hub, Promise.resolve(observer)])
      expect(() => checkOptions('observe', { observer: wrong }, known)).toThrow(
        refusal('observer must be an observer'),
      );
  });

  it.each<[unknown, string]>([
    [observer, 'observe: options are an observer; pass { observer }'],
    [null, 'observe: options must be an object.'],
    [[], 'observe: options must be an object.'],
    [fn, 'observe: options must be an object.'],
    [{ observr: observer }, 'observe: there is no option observr; there are observer, sessionKey, frameworkSpans, onW'],
    [{ frameworkSpans: 'foo' }, 'observe: frameworkSpans is "foo"; use warn, keep or yield.'],
    [{ sessionKey: 5 }, 'observe: sessionKey must be a string.'],
    [{ onWarning: 'x' }, 'observe: onWarning must be a function.'],
  ])('that are wrong are refused: %#', (options, text) => {
    expect(() => checkOptions('observe', options, known)).toThrow(refusal(text));
  });

  it('that are needed are named, whatever is given in their place', () => {
    for (const options of [undefined, null, fn, {}, { observer }, { module: undefined }, { OpenAI: fn }])
      expect(() => checkOptions('observe', options, needing)).toThrow(
        refusal('observe: the option module is missing; it must be one.'),
      );
    expect(() => checkOptions('observe', observer, needing)).toThrow(refusal('options are an observer'));
    expect(() => checkOptions('observe', { module: 2 }, needing)).toThrow(refusal('observe: module must be one.'));
  });
});

it('a function that calls another one needs it, and an object before it', () => {
  checkCallback('withTurn', {}, fn);
  for (const given of [[], [fn], [{}], [undefined, fn], [null, fn], ['x', fn]])
    expect(() => checkCallback('withTurn', given[0], given[1])).toThrow(refusal('withTurn: pass an object, and then'));
  expect(() => withSession(fn as never, undefined as never)).toThrow(refusal('withSession: pass an object'));
});
