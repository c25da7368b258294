import { afterEach, describe, expect, it } from 'vitest';
import { asAnother, batch, recording, Scene } from '../service/scene.test-support.js';
import { SpanFeed } from '../traces/span-feed.js';
import type { Trace } from '../traces/trace.js';
import { rowOf } from '../traces/trace-row.js';
import { TraceStore } from '../traces/trace-store.js';
import { hasLines, linesOf, recordsOf } from './history-reader.js';
import { HistoryRefill } from './history-refill.js';

let scene: Scene;
afterEach(() => scene.end());

const WHOLE = recording('c-parallel-tools');
const DELEGATION = recording('k-delegate-one-child-sync');

async function follow() {
  const store = new TraceStore();
  const feed = new SpanFeed(store);
  const service = await scene.open({ follower: feed });
  const settle = async () => {
    await service.settled();
    feed.flush();
  };
  const refill = async (limits?: { spans: number }) => {
    await settle();
    const target = limits === undefined ? store : new TraceStore(limits);
    const shared = {
      capture: 'none',
      agentName: 'hermes',
      serviceName: undefined,
      resourceAttributes: {},
    } as const;
    await new HistoryRefill({ store: target, history: service, ...shared }).run();
    return target;
  };
  return { store, service, settle, refill };
}

const rows = (store: TraceStore) => store.all().map(rowOf);

describe('a follower of the service', () => {
  it('sees turns under way, and has them back after a restart with the records they were made of', async () => {
    scene = new Scene();
    const first = await follow();
    await first.service.take(batch([...WHOLE, ...DELEGATION.slice(0, 20)]));
    await first.settle();
    expect(
      rows(first.store)
        .map(({ outcome }) => outcome)
        .sort(),
    ).toEqual(['completed', 'running']);
    const before = rows(first.store);
    await first.service.stop(1_500);

    const second = await follow();
    await second.refill();
    expect(rows(second.store)).toEqual(before);
    await second.service.take(batch(DELEGATION.slice(20)));
    await second.settle();
    const [turn, delegation] = second.store.all() as [Trace, Trace];
    expect(rows(second.store).map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    for (const [trace, lines] of [
      [turn, WHOLE],
      [delegation, DELEGATION],
    ] as const) {
      const kept = new Set<unknown>();
      // Without content, which this service does not keep.
      for await (const line of linesOf(trace, second.service)) kept.add(JSON.parse(line).seq);
      expect(hasLines(trace, second.service)).toBe(true);
      const own = lines
        .map((line) => JSON.parse(line))
        .filter(({ hook }) => /llm_call|tool_call|api_request|subagent/.test(hook));
      expect(own.length).toBeGreaterThan(10);
      expect(own.flatMap(({ seq }) => (kept.has(seq) ? [] : [seq]))).toEqual([]);
    }
    const tool = turn.spans.find(({ source }) => source.name.startsWith('execute_tool'));
    const records = await recordsOf(tool as never, turn, second.service);
    expect(records.map(({ hook }) => hook)).toEqual(expect.arrayContaining(['pre_tool_call', 'post_tool_call']));
    expect(new Set(records.map(({ payload }) => payload.tool_call_id)).size).toBe(1);
  });

  it('fills up with the newest history alone, each turn whole, and without what was deleted', async () => {
    scene = new Scene();
    const first = await follow();
    const turns = Array.from({ length: 40 }, (_, i) => asAnother(WHOLE, `-${i}`));
    for (const lines of turns) await first.service.take(batch(lines));
    await first.settle();
    const all = rows(first.store);
    expect(all).toHaveLength(40);
    await first.service.stop(1_500);
    const second = await follow();
    const session = all[3]?.session as string;
    await second.service.deleteSession(session, [], []);
    const known = new Set(rows(second.store).map(({ trace }) => trace));
    const filled = await second.refill();
    const again = rows(filled).filter(({ trace }) => !known.has(trace));
    for (const row of again) expect(all).toContainEqual(row);
    const small = await second.refill({ spans: 30 });
    expect(small.spans).toBeLessThanOrEqual(60);
    expect(small.traces).toBeGreaterThan(0);
  });
});
