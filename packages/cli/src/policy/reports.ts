import { randomBytes } from 'node:crypto';
import { formatRecord, formatUnixNano, type HookRecord, now } from '@hermes-observer/core';
import type { ReportSink } from '@hermes-observer/policy';
import type { Count, IntakePort, PresencePort } from '../service/ports.js';

const MOST_WAITS = 100_000;

/** What a policy reports, as records of a producer of its own: they go the way of all others, so a replay gives the same spans. */
export class Reports implements ReportSink {
  readonly producer = `policy-${randomBytes(8).toString('hex')}`;
  readonly #intake: IntakePort;
  readonly #leave: () => void;
  readonly #decisions = new Map<string, number>();
  readonly #gates = new Map<string, number>();
  readonly #answers = new Map<string, number>();
  /** When each wait began, by request. */
  readonly #waits = new Map<string, number>();
  #waitedMillis = 0;
  #seq = 0;
  #lost = 0;

  constructor(intake: IntakePort, presence: PresencePort) {
    this.#intake = intake;
    // However long nobody answers, it is not gone.
    this.#leave = presence.present(this.producer);
  }

  report(hook: string, payload: Readonly<Record<string, unknown>>): void {
    this.#count(hook, payload);
    const record: HookRecord = {
      hook,
      time_unix_nano: formatUnixNano(now()),
      producer: this.producer,
      seq: ++this.#seq,
      payload,
    };
    const line = Buffer.from(formatRecord(record));
    this.#intake.take({ lines: [line], records: [record] }).catch(() => {
      this.#lost++;
    });
  }

  /** Decisions of a hook, since the start. */
  decisionsOf(hook: string): number {
    return this.#gates.get(hook) ?? 0;
  }

  counts(): readonly Count[] {
    return [
      ...[...this.#decisions].map(([key, value]): Count => {
        const [outcome = '', kind = ''] = key.split(' ');
        const help = 'Decisions of gates, by outcome and kind.';
        return { name: 'policy_decisions', help, value, labels: { outcome, kind } };
      }),
      ...[...this.#answers].map(
        ([choice, value]): Count => ({
          name: 'policy_approval_answers',
          help: 'Waits for a person that ended, by how.',
          value,
          labels: { choice },
        }),
      ),
      {
        name: 'policy_approval_wait_seconds',
        help: 'Time waited for people, of waits that ended.',
        value: this.#waitedMillis / 1000,
      },
      { name: 'policy_reports_lost', help: 'Reports that could not be kept.', value: this.#lost },
    ];
  }

  close(): void {
    this.#leave();
  }

  #count(hook: string, payload: Readonly<Record<string, unknown>>): void {
    const request = String(payload.request_id);
    if (hook === 'observer_policy_decision') {
      add(this.#decisions, `${String(payload.outcome)} ${String(payload.kind)}`);
      add(this.#gates, String(payload.gate));
    } else if (hook === 'pre_approval_request') {
      if (this.#waits.size < MOST_WAITS) this.#waits.set(request, performance.now());
    } else if (hook === 'post_approval_response') {
      add(this.#answers, String(payload.choice));
      this.#waitedMillis += performance.now() - (this.#waits.get(request) ?? performance.now());
      this.#waits.delete(request);
    }
  }
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
