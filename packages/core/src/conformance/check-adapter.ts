import { checkKinds, demandOption, type OptionKind } from '../option-kinds.js';
import type { TriedAdapter } from './adapter.js';
import { BEHAVIOURS, SCRIPT } from './behaviours.js';
import type { TestObserver } from './scene.js';

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const PARTS: Readonly<Record<keyof TriedAdapter<TestObserver>, OptionKind>> = {
  name: 'string',
  createObserver: 'function',
  install: 'function',
  approvals: ['same turn', 'next turn'],
  names: 'object',
  streamsAlways: 'boolean',
  play: 'object',
  faults: { is: isCount, must: 'be a whole number, 0 or more' },
  skip: 'object',
};

const NEEDED = ['name', 'createObserver', 'install', 'approvals', 'play'] as const;

const kindsOf = (names: readonly string[], kind: OptionKind): Record<string, OptionKind> =>
  Object.fromEntries(names.map((name) => [name, kind]));

const isPlay = (value: unknown): boolean => {
  const { ask, resume } = Object(value) as { ask?: unknown; resume?: unknown };
  return typeof value === 'function' || (typeof ask === 'function' && typeof resume === 'function');
};

/** Finds what is wrong in the description of an adapter before it is tried. @throws ObserverError `HO_OPTION` */
export function checkAdapter<O extends TestObserver>(adapter: TriedAdapter<O>): void {
  demandOption(typeof adapter === 'object' && adapter !== null, 'the adapter must be an object.');
  checkKinds(adapter, PARTS, 'the adapter: ');
  for (const part of NEEDED) demandOption(adapter[part] !== undefined, `the adapter: ${part} is missing.`);
  const { names = {}, play, skip = {} } = adapter;
  const behaviours = Object.keys(BEHAVIOURS);
  checkKinds(names, kindsOf([SCRIPT.tool, SCRIPT.delegate], 'string'), 'names of the adapter: ');
  const plays = kindsOf(behaviours, { is: isPlay, must: 'be a function; approvalResumed has { ask, resume }' });
  checkKinds(play, plays, 'play of the adapter: ');
  checkKinds(skip, kindsOf(behaviours, 'string'), 'skip of the adapter: ');
}

/** Has the framework observed. Returns what ends that. @throws ObserverError `HO_OPTION` where `install` returns no end */
export function installed<O extends TestObserver>(adapter: TriedAdapter<O>, observer: O): () => void {
  const end: unknown = adapter.install(observer);
  demandOption(typeof end === 'function', 'the adapter: install must return the function that ends it.');
  return end as () => void;
}
