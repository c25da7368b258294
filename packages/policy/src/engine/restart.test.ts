import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Approvals } from '../approvals/approvals.js';
import { RecordingChannel } from '../approvals/recording-channel.test-support.js';
import { FileStore } from '../stores/file-store.js';
import { createPolicy, type Policy } from './policy.js';
import { ask, call } from './scene.test-support.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'policy-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One life of a program: real approvals over a real store on disk. */
class Life {
  readonly channel = new RecordingChannel('slack');
  readonly policy: Policy;
  readonly approvals: Approvals;

  private constructor(approvals: Approvals, channel: RecordingChannel) {
    this.approvals = approvals;
    this.channel = channel;
    this.policy = createPolicy({ hooks: [ask('gate', { approvers: ['slack:U1'] })], approvals, onFailure: () => {} });
  }

  static async begin(): Promise<Life> {
    const channel = new RecordingChannel('slack');
    const store = await FileStore.open(folder);
    return new Life(await Approvals.open({ store, channels: [channel] }), channel);
  }

  answer(choice: 'approve' | 'reject') {
    return this.approvals.decide('slack', this.channel.answer(choice), Date.now());
  }

  async end(): Promise<void> {
    await this.policy.close();
    await this.approvals.close();
  }
}

describe('a program that ends while a person thinks', () => {
  it('finds its request again, and the approved call runs once', async () => {
    const first = await Life.begin();
    const waiting = first.policy.decide(call());
    while (first.channel.cards.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await first.end();
    expect(await waiting).toMatchObject({ decision: 'block', kind: 'pending' });

    const second = await Life.begin();
    const ran: unknown[] = [];
    const running = second.policy.run(call(), (args) => void ran.push(args));
    while (second.channel.cards.length === 0 && (await second.approvals.pending()).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const [pending] = await second.approvals.pending();
    expect(pending?.tool).toBe('pay');
    const answer = { ...first.channel.answer('approve') };
    expect(await second.approvals.decide('slack', answer, Date.now())).toMatchObject({ ok: true });
    await running;
    expect(ran).toEqual([{ amount: 120, to: 'ACME' }]);
    expect(await second.policy.decide(call())).toMatchObject({ kind: 'already_run' });
    await second.end();

    const third = await Life.begin();
    expect(await third.policy.decide(call())).toMatchObject({ kind: 'already_run' });
    await third.end();
  });

  it('while the call runs: nobody knows how it ended, and it never runs again', async () => {
    const first = await Life.begin();
    const waiting = first.policy.decide(call());
    while (first.channel.cards.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await first.answer('approve');
    expect((await waiting).decision).toBe('allow');
    // It is executing now, and its end is never told.
    await first.end();
    const second = await Life.begin();
    expect(await second.policy.decide(call())).toMatchObject({ decision: 'block', kind: 'outcome_unknown' });
    await second.end();
  });

  it('refuses with the real checks: not anybody’s yes counts', async () => {
    const life = await Life.begin();
    const waiting = life.policy.decide(call());
    while (life.channel.cards.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const stranger = { ...life.channel.answer('approve'), decider: { channel: 'slack', id: 'U2' } };
    expect(await life.approvals.decide('slack', stranger, Date.now())).toMatchObject({ ok: false });
    expect(await life.answer('reject')).toMatchObject({ ok: true });
    expect(await waiting).toMatchObject({ decision: 'block', kind: 'denied' });
    await life.end();
  });
});
