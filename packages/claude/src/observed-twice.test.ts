import { sharedObserver } from '@hermes-observer/adapter';
import { KeptSpans, spanTree } from '@hermes-observer/core/testing';
import { createObserver, type Observer } from '@hermes-observer/otel';
import { expect, it, vi } from 'vitest';
import { MORE_PLAYS, playMore } from './more-plays.test-support.js';
import { instrumentClaude, observedQuery, withObserver } from './observe.js';
import { replayStage } from './replay.test-support.js';
import type { Sdk } from './stage.test-support.js';

type Query = Sdk['query'];

const stage = replayStage(new URL('../../../conformance/claude/agent-sdk-0.3.332/', import.meta.url));
const options = (kept: KeptSpans) => ({ exporters: [kept as never], agentName: 'agent', env: {} });

/** What observers are told of a play, each its tree, when `wrap` has it observed. */
async function trees(
  play: string,
  wrap: (query: Query, ...observers: { readonly observer: Observer }[]) => Query,
): Promise<string[][]> {
  const all = [new KeptSpans(), new KeptSpans()];
  const observers = all.map((kept) => createObserver(options(kept)));
  const without = await playMore(stage, play, (query) => query);
  const wrapped = (query: Query) => wrap(query, ...observers.map((observer) => ({ observer })));
  expect(await playMore(stage, play, wrapped)).toEqual(without);
  for (const observer of observers) await observer.shutdown();
  return all.map(({ spans }) => spanTree(spans));
}

const sdkOf = (query: Query) => ({ query }) as Sdk;
const once = (query: Query, own: { readonly observer: Observer }) => observedQuery(query, own);

const TWICE: Readonly<Record<string, typeof once>> = {
  'observedQuery of observedQuery': (query, own) => observedQuery(observedQuery(query, own), own),
  'instrumentClaude of instrumentClaude': (query, own) =>
    instrumentClaude(instrumentClaude(sdkOf(query), own), own).query,
  'observedQuery of instrumentClaude': (query, own) => observedQuery(instrumentClaude(sdkOf(query), own).query, own),
  'observedQuery of a wrapper of the program': (query, own) => {
    const observed = observedQuery(query, own);
    return observedQuery((params) => observed({ ...params, options: { ...params.options } }), own);
  },
  'observedQuery with options of withObserver': (query, own) => {
    const observed = observedQuery(query, own);
    return (params) => observed({ ...params, options: withObserver(params.options ?? {}, own) });
  },
};

it.each(Object.keys(TWICE))('%s, with the same observer, is told once', async (name) => {
  for (const play of ['agent-with-tools', 'denied-by-hook']) {
    const [tree] = await trees(play, once);
    expect(tree).not.toEqual([]);
    expect(await trees(play, TWICE[name] as typeof once)).toEqual([tree, []]);
  }
});

it.each(Object.keys(MORE_PLAYS))('with two observers both hear all of %s', async (play) => {
  const [tree] = await trees(play, once);
  const both = await trees(play, (query, one, other) => observedQuery(observedQuery(query, one as never), other));
  expect(both).toEqual([tree, tree]);
});

it('with two observers, one of them twice, each hears once', async () => {
  const [tree] = await trees('agent-with-tools', once);
  const both = await trees('agent-with-tools', (query, one, other) =>
    observedQuery(observedQuery(observedQuery(query, one), other), one),
  );
  expect(both).toEqual([tree, tree]);
});

it('the observer of the process, from two copies of this package, is told once', async () => {
  const kept = new KeptSpans();
  const observer = sharedObserver(options(kept));
  vi.resetModules();
  const copy = await import('./observe.js');
  expect(copy.observedQuery).not.toBe(observedQuery);
  const [tree] = await trees('agent-with-tools', once);
  await playMore(stage, 'agent-with-tools', (query) => observedQuery(copy.instrumentClaude(sdkOf(query)).query));
  await observer.shutdown();
  expect(spanTree(kept.spans)).toEqual(tree);
});
