import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { ToolCall } from '../call/tool-call.js';
import { createPolicy, type Policy } from '../engine/policy.js';
import { FileStore } from '../stores/file-store.js';
import { Approvals } from './approvals.js';
import { RecordingChannel } from './recording-channel.test-support.js';

/** The same numbers for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/**
 * An agent that asks for few actions by calls of many kinds: at once, again, given up, called off, with ids that come back, over
 * restarts; people who answer some cards in any order.
 */
it.each([1, 2, 3, 4, 5, 6])(
  'nothing runs that nobody approved, nor more often than it was approved (seed %i)',
  async (seed) => {
    const random = numbers(seed);
    const pick = (most: number) => Math.floor(random() * most);
    const folder = mkdtempSync(join(tmpdir(), 'again-fuzz-'));
    const runs = new Map<string, number>();
    const approved = new Map<string, number>();
    let policy: Policy | undefined;
    let approvals: Approvals | undefined;
    let channel = new RecordingChannel('slack');
    const open = async () => {
      channel = new RecordingChannel('slack');
      approvals = await Approvals.open({ store: await FileStore.open(folder), channels: [channel] });
      policy = createPolicy({
        hooks: [{ name: 'gate', event: 'PreToolUse', execute: () => ({ ask: { expiresMs: 60_000 } }) }],
        approvals,
        onFailure: () => undefined,
      });
    };
    const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
    const actionOf = ({
      tool,
      sessionId,
      agent,
      args,
    }: { [K in 'tool' | 'sessionId' | 'agent']?: string | undefined } & { args: string }) =>
      JSON.stringify([tool, sessionId, agent, args]);
    const ask = async () => {
      const call: ToolCall = {
        tool: 'pay',
        args: { n: pick(2) },
        callId: pick(4) === 0 ? '' : `c${pick(6)}`,
        sessionId: `s${pick(2)}`,
        turnId: `t${pick(2)}`,
        taskId: '',
        agent: `a${pick(2)}`,
      };
      const abort = new AbortController();
      const how = pick(4);
      if (how === 0) setTimeout(() => abort.abort(), pick(20));
      const options = how === 0 ? { signal: abort.signal } : { deadlineMs: pick(30) };
      const verdict = await policy?.decide(call, options);
      if (verdict?.decision !== 'allow') return;
      expect(verdict.args).toEqual(call.args);
      count(runs, actionOf({ ...call, args: JSON.stringify(call.args) }));
      if (pick(2) === 0) await policy?.settle(verdict);
    };
    const answer = async () => {
      if (channel.cards.length === 0) return;
      const card = 1 + pick(channel.cards.length);
      const choice = pick(3) === 0 ? 'reject' : 'approve';
      const outcome = await approvals?.decide('slack', channel.answer(choice, {}, card), Date.now());
      if (outcome?.ok === true && choice === 'approve' && outcome.approval !== undefined)
        count(approved, actionOf(outcome.approval));
    };
    await open();
    for (let round = 0; round < 12; round++) {
      await Promise.all(
        Array.from({ length: 30 }, async () => {
          await wait(pick(20));
          await (pick(3) === 0 ? answer() : ask());
        }),
      );
      if (pick(3) > 0) continue;
      await policy?.close();
      await approvals?.close();
      await open();
    }
    await approvals?.close();
    rmSync(folder, { recursive: true });
    expect(runs.size).toBeGreaterThan(0);
    for (const [action, times] of runs) expect(times).toBeLessThanOrEqual(approved.get(action) ?? 0);
  },
  60_000,
);
