import { expect, it } from 'vitest';
import type { TriedAdapter } from './adapter.js';
import { conformanceCases } from './cases.js';
import { describeAdapter } from './describe-adapter.js';
import type { TestObserver } from './scene.js';

type Adapter = TriedAdapter<TestObserver>;

const adapter: Adapter = {
  name: 'mine',
  createObserver: () => ({ traceContext: () => ({}), shutdown: async () => {} }) as unknown as TestObserver,
  install: () => () => {},
  approvals: 'same turn',
  play: { plainTurn: () => 'Sunny.' },
};
const refusal = (text: string) =>
  expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(text) });

it.each<[unknown, string]>([
  [undefined, 'the adapter must be an object'],
  [{ ...adapter, install: undefined }, 'install is missing'],
  [{ ...adapter, createObserver: undefined }, 'createObserver is missing'],
  [{ ...adapter, play: undefined }, 'play is missing'],
  [{ ...adapter, install: 'x' }, 'install must be a function'],
  [{ ...adapter, approvals: 'foo' }, 'approvals is "foo"; use same turn or next turn'],
  [{ ...adapter, faults: 'x' }, 'faults must be a whole number'],
  [{ ...adapter, faults: -1 }, 'faults must be a whole number'],
  [{ ...adapter, names: { unknown: 'x' } }, 'names of the adapter: there is no option unknown; there are weather'],
  [{ ...adapter, names: { weather: 5 } }, 'weather must be a string'],
  [{ ...adapter, play: { plainturn: () => 1 } }, 'play of the adapter: there is no option plainturn'],
  [{ ...adapter, play: { approvalResumed: {} } }, 'approvalResumed must be a function'],
  [{ ...adapter, skip: { handof: 'none' } }, 'skip of the adapter: there is no option handof'],
  [{ ...adapter, skips: {} }, 'there is no option skips'],
])('an adapter that is not described as it must be is refused: %#', (given, text) => {
  expect(() => conformanceCases(given as Adapter)).toThrow(refusal(text));
  expect(() => describeAdapter(() => {}, given as Adapter)).toThrow(refusal(text));
});

it('a function that makes tests must be there', () => {
  expect(() => describeAdapter(adapter as never, undefined as never)).toThrow(refusal('a function that makes a test'));
});

it('an install that returns no end fails each case, and says so', async () => {
  for (const install of [() => undefined, async () => () => {}]) {
    const [tree, same] = conformanceCases({ ...adapter, install: install as never });
    await expect(tree?.run()).rejects.toThrow(refusal('install must return the function that ends it'));
    await expect(same?.run()).rejects.toThrow(refusal('install must return the function that ends it'));
  }
});

it('install is called on the adapter that has it', async () => {
  let isOwn = false;
  const mine = {
    ...adapter,
    install(this: unknown) {
      isOwn ||= this === mine;
      return () => {};
    },
  };
  await conformanceCases(mine)[1]?.run();
  expect(isOwn).toBe(true);
});
