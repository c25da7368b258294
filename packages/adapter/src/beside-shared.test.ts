import { expect, it } from 'vitest';
import { besideShared } from './beside-shared.js';
import { Guard } from './guard.js';
import { type AdapterHost, sharedObserver } from './host.js';

const own = {} as AdapterHost;

function begin(adapter: string, host: AdapterHost): { told: string[]; end: () => void } {
  const told: string[] = [];
  const end = besideShared(adapter, host, new Guard('one', (text) => told.push(text)));
  return { told, end };
}

it('two observers of a framework are told of once, by name, whichever comes first', () => {
  const shared = sharedObserver({ env: { OTEL_TRACES_EXPORTER: 'none' } });
  for (const [adapter, first, second] of [
    ['a', shared, own],
    ['b', own, shared],
  ] as const) {
    expect(begin(adapter, first).told).toEqual([]);
    expect(begin(adapter, second).told).toEqual([
      expect.stringContaining(`made twice: by an observer that the program gives`),
    ]);
    expect(begin(adapter, second).told).toEqual([]);
  }
});

it('one after the other, two of the program, and two frameworks are as they should be', () => {
  const shared = sharedObserver({ env: { OTEL_TRACES_EXPORTER: 'none' } });
  const first = begin('c', shared);
  first.end();
  first.end();
  expect([begin('c', own), begin('c', {} as AdapterHost), begin('d', shared)].flatMap(({ told }) => told)).toEqual([]);
});
