import { deepStrictEqual, fail } from 'node:assert/strict';
import type { Play, ResumedPlay, TriedAdapter } from './adapter.js';
import { BEHAVIOURS, type Behaviour } from './behaviours.js';
import { checkAdapter, installed } from './check-adapter.js';
import { AwayExporters, brokenObserver, FaultyUse, FULL_QUEUE, spread } from './faults.js';
import { checkThrown, type Outcome, outcomeOf, withThrown } from './outcome.js';
import { KeptSpans, type Mark, PlayScene, type TestObserver } from './scene.js';
import { type EndedSpan, spanTree } from './span-tree.js';

/** One thing to be tried. */
export interface ConformanceCase {
  readonly name: string;
  /** Why it is not tried, if it is not. */
  readonly skipped: string | undefined;
  /** @throws AssertionError with the tree that is and the one that should be. */
  run(): Promise<void>;
}

/** Faults that are tried in each behaviour, where the adapter does not say. */
const FAULTS = 6;

/**
 * What there is to be tried of an adapter: the tree of each behaviour, and that the program sees nothing of it, nor of its faults.
 *
 * @throws ObserverError `HO_OPTION` where the adapter is not described as it must be.
 */
export function conformanceCases<O extends TestObserver>(adapter: TriedAdapter<O>): ConformanceCase[] {
  checkAdapter(adapter);
  return (Object.keys(BEHAVIOURS) as Behaviour[]).flatMap((behaviour) => {
    const play = adapter.play[behaviour];
    const skipped = play === undefined ? adapter.skip?.[behaviour] : undefined;
    const run = (tried: (acts: Act<O>[]) => Promise<void>) => async () => {
      if (play === undefined)
        fail(`${adapter.name} has neither a play nor a reason to skip: ${BEHAVIOURS[behaviour].script}`);
      await tried(actsOf(play));
    };
    return [
      { name: behaviour, skipped, run: run((acts) => triesTree(adapter, behaviour, acts)) },
      {
        name: `${behaviour}, as without an adapter`,
        skipped,
        run: run((acts) => triesTransparency(adapter, behaviour, acts)),
      },
      { name: `${behaviour}, with faults`, skipped, run: run((acts) => triesFaults(adapter, behaviour, acts)) },
    ];
  });
}

/** Part of a play that runs in one process. Gets what the part before gave. */
type Act<O> = (scene: PlayScene<O>, stored: unknown) => unknown;

function actsOf<O>(play: Play<O> | ResumedPlay<O>): Act<O>[] {
  return typeof play === 'function'
    ? [play]
    : [(scene) => play.ask(scene), (scene, stored) => play.resume(scene, stored)];
}

async function triesTree<O extends TestObserver>(
  adapter: TriedAdapter<O>,
  behaviour: Behaviour,
  acts: Act<O>[],
): Promise<void> {
  const all: EndedSpan[] = [];
  const marks: Mark[] = [];
  const outcomes: Outcome[] = [];
  let stored: unknown;
  for (const act of acts) {
    const kept = new KeptSpans();
    const observer = adapter.createObserver({ exporters: [kept], agentName: 'agent', env: {} });
    const uninstall = installed(adapter, observer);
    const scene = new PlayScene(observer, () => observer.traceContext().traceparent);
    try {
      const outcome = await outcomeOf(() => act(scene, stored));
      outcomes.push(outcome);
      stored = throughJson(outcome);
      await settled();
    } finally {
      uninstall();
      await observer.shutdown();
    }
    all.push(...kept.spans);
    marks.push(...scene.marks);
  }
  withThrown(outcomes, () => {
    deepStrictEqual(spanTree(all), expectedTree(adapter, behaviour));
    checkMarks(all, marks);
  });
  checkThrown(behaviour, outcomes);
}

function expectedTree<O extends TestObserver>(adapter: TriedAdapter<O>, behaviour: Behaviour): string[] {
  const named = (name: string) => adapter.names?.[name] ?? name;
  return BEHAVIOURS[behaviour].tree(adapter.approvals).map((line) => {
    const own = line.replace(/(execute_tool|approval) (\w+)/, (_, kind, name) => `${kind} ${named(name)}`);
    return adapter.streamsAlways ? own.replace(/(chat test-model: .*\d>\d+)(?! streamed)/, '$1 streamed') : own;
  });
}

/** With an adapter the program must get the same as without. */
async function triesTransparency<O extends TestObserver>(
  adapter: TriedAdapter<O>,
  behaviour: Behaviour,
  acts: Act<O>[],
): Promise<void> {
  const without = await outcomesWithout(behaviour, acts);
  const observer = adapter.createObserver({ exporters: [new KeptSpans()], agentName: 'agent', env: {} });
  deepStrictEqual(await outcomesOf(acts, observer, () => installed(adapter, observer)), without);
  await observer.shutdown();
}

/**
 * The program must get the same when what the adapter asks of its observer fails: all of it, or one thing after the other; and
 * when the queue is full and no backend takes anything.
 */
async function triesFaults<O extends TestObserver>(
  adapter: TriedAdapter<O>,
  behaviour: Behaviour,
  acts: Act<O>[],
): Promise<void> {
  const without = await outcomesWithout(behaviour, acts);
  const broken = brokenObserver<O>();
  same(await outcomesOf(acts, broken, () => installed(adapter, broken)), without, 'all of the observer throws');
  const away = new AwayExporters();
  const full = adapter.createObserver({
    exporters: away.all,
    agentName: 'agent',
    env: FULL_QUEUE,
    onWarning: () => {},
  });
  same(await outcomesOf(acts, full, () => installed(adapter, full)), without, 'the queue is full');
  away.answer();
  await full.shutdown();
  const observer = adapter.createObserver({ exporters: [], agentName: 'agent', env: {}, onWarning: () => {} });
  const play = async (failing: number) => {
    const use = new FaultyUse(failing);
    const faulty = use.of(observer);
    same(await outcomesOf(acts, faulty, () => installed(adapter, faulty)), without, `use ${failing} fails`);
    return use.uses;
  };
  const uses = await play(0);
  for (const failing of spread(uses, adapter.faults ?? FAULTS)) await play(failing);
  await observer.shutdown();
}

function same(actual: unknown, expected: unknown, fault: string): void {
  try {
    deepStrictEqual(actual, expected);
  } catch (error) {
    fail(`the program gets something else when ${fault}: ${(error as Error).message}`);
  }
}

/** What the program gets without an adapter: a play that fails by itself shows nothing. */
function outcomesWithout<O extends TestObserver>(behaviour: Behaviour, acts: Act<O>[]): Promise<unknown> {
  const check = (outcomes: readonly Outcome[]) => checkThrown(behaviour, outcomes);
  return outcomesOf(acts, brokenObserver<O>(), () => () => {}, check);
}

async function outcomesOf<O>(
  acts: Act<O>[],
  observer: O,
  install: () => () => void,
  check?: (outcomes: readonly Outcome[]) => void,
): Promise<unknown> {
  const outcomes: Outcome[] = [];
  let stored: unknown;
  for (const act of acts) {
    const uninstall = install();
    try {
      const outcome = await outcomeOf(() => act(new PlayScene(observer, () => undefined), stored));
      outcomes.push(outcome);
      stored = throughJson(outcome);
      await settled();
    } finally {
      uninstall();
    }
  }
  check?.(outcomes);
  return comparable(outcomes);
}

/** What is stored between two processes. */
function throughJson({ value }: Outcome): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Random ids and times differ from run to run. */
const comparable = (outcomes: unknown): unknown =>
  JSON.parse(JSON.stringify(outcomes).replace(/"(\w*[iI]d|timestamp)":"(?!call_)[^"]*"/g, '"$1":"…"'));

/** Ends that come a moment after what the program waits for. */
const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 20));

function checkMarks(spans: readonly EndedSpan[], marks: readonly Mark[]): void {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  for (const { kind, spanId, toolCallId } of marks) {
    const span = spanId === undefined ? undefined : byId.get(spanId);
    const isRight =
      kind === 'model' ? span?.name.startsWith('chat') : span?.attributes['gen_ai.tool.call.id'] === toolCallId;
    if (isRight !== true)
      fail(
        `in the code of the ${kind}${toolCallId ? ` for ${toolCallId}` : ''} the active span is ${span?.name ?? 'none'}`,
      );
  }
}
