import { type HookRecord, Hub, parseUnixNano } from '@hermes-observer/core';
import { createPolicy, type Policy } from '@hermes-observer/policy';
import { type LoadedPolicy, openPolicy, type PolicyPlan } from '@hermes-observer/policy/config';
import type { AskOptions, AskPort, Count, IntakePort, PolicyPort, PresencePort } from '../service/ports.js';
import { ApprovalCommands } from './approval-commands.js';
import { CallWatch } from './call-watch.js';
import { Reports } from './reports.js';

export interface DeskOptions {
  readonly plan: PolicyPlan;
  /** Name of the agent in spans, for matchers. */
  readonly agentName: string;
  readonly intake: IntakePort;
  readonly presence: PresencePort;
  /** Questions that are not for a policy. */
  readonly ask: AskPort;
  /** Where the pages of approvals are; `undefined` without HTTP. */
  readonly webUrl: string | undefined;
  /** What is typed to answer a request. */
  readonly commandOf: (id: string) => string;
  readonly notice: (text: string) => void;
  readonly warn: (text: string) => void;
}

type Fields = Readonly<Record<string, unknown>>;

const MOST_SESSIONS = 20_000;
const PENDING_MILLIS = 5_000;

/** The service's side of one policy: questions of agents in, decisions out, reports to the journal. */
export class PolicyDesk implements AskPort, PolicyPort {
  readonly loaded: LoadedPolicy;
  readonly #policy: Policy;
  readonly #options: DeskOptions;
  /** The policy's own: it sees records when they come, not when their spans are made. */
  readonly #hub: Hub;
  readonly #reports: Reports;
  readonly #watch = new CallWatch();
  readonly #sessions = new Set<string>();
  readonly #commands: ApprovalCommands | undefined;
  readonly #refusedCallbacks = new Map<string, number>();
  #pending = 0;
  #pendingAt = Number.NEGATIVE_INFINITY;
  #isClosing = false;

  private constructor(options: DeskOptions, loaded: LoadedPolicy) {
    const { agentName, intake, presence, plan, warn } = options;
    this.#options = options;
    this.loaded = loaded;
    this.#policy = createPolicy({
      ...loaded.options,
      onFailure: ({ gate, event, kind }) =>
        warn(`policy: ${gate === '' ? 'its approvals' : `hook ${gate}`} could not decide (${event}, ${kind})`),
    });
    this.#hub = new Hub({
      onError: ({ hook, error }) => warn(`policy: ${hook}: ${error instanceof Error ? error.name : 'a failure'}`),
    });
    this.#reports = new Reports(intake, presence);
    this.#policy.attach(this.#hub, { agent: agentName, report: this.#reports, mayAskAgain: true });
    const channels = plan.channels.filter(({ kind }) => kind === 'command').map(({ name }) => name);
    if (loaded.approvals !== undefined) this.#commands = new ApprovalCommands(loaded.approvals, channels);
  }

  /** @throws ObserverError `HO_POLICY_CONFIG`, `HO_POLICY_STORE`, `HO_POLICY_AUDIT`, `HO_PEER_MISSING`; then nothing is left open. */
  static async open(options: DeskOptions): Promise<PolicyDesk> {
    const { plan, webUrl, commandOf, notice, warn } = options;
    const loaded = await openPolicy(plan, { isRemote: true, webUrl, commandOf, onNotice: notice, onWarning: warn });
    return new PolicyDesk(options, loaded);
  }

  /** Takes note of new records, in the order of the journal. */
  saw(records: readonly HookRecord[]): void {
    for (const record of records) {
      const { hook, payload, time_unix_nano: time, profile, producer } = record;
      if (producer === this.#reports.producer) continue;
      if (hook === 'on_session_start' && !this.#begins(payload.session_id)) continue;
      this.#hub.emit(hook, payload, {
        time: parseUnixNano(time) ?? [0, 0],
        producer: producer ?? '',
        ...(profile === undefined ? {} : { profile }),
      });
      // After the policy has it: a question that waits for it goes on now.
      this.#watch.saw(record);
    }
  }

  async ask(hook: string, given: unknown, options: AskOptions): Promise<Fields> {
    if (hook !== 'pre_tool_call' && hook !== 'transform_tool_result')
      return this.#options.ask.ask(hook, given, options);
    const payload = typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as Fields) : {};
    const began = performance.now();
    await this.#watch.recorded(payload);
    // Hooks for the start of a session decide about one that was begun before this process, too.
    if (this.#begins(payload.session_id)) this.#hub.emit('on_session_start', payload as never);
    const timeoutMs = Math.max(1, options.timeoutMs - (performance.now() - began));
    const answer = (await this.#hub.ask(hook, payload as never, {
      timeoutMs,
      signal: options.signal,
    })) as unknown as Fields;
    // Who waits is not sent away when the service stops: it asks again where it is back.
    if (this.#isClosing && answer.kind === 'pending') return new Promise<never>(() => undefined);
    const by = Array.isArray(answer.by) && answer.by.length === 0 ? [this.#policy.name] : answer.by;
    return { ...answer, ...(by === undefined ? {} : { by }), policy: this.#policy.name };
  }

  operate(operation: Fields): Promise<Fields> {
    if (this.#commands === undefined)
      return Promise.resolve({
        ok: false,
        text: 'The policy asks nobody: it has no channels.',
        pending: [],
        total: 0,
        remembered: [],
        approval: null,
      });
    return this.#commands.operate(operation);
  }

  counts(): readonly Count[] {
    const { allowed, blocked, failures } = this.#policy.stats;
    const verdict = (kind: string, value: number): Count => ({
      name: 'policy_calls',
      help: 'Calls that were decided about, by what became of them.',
      value,
      labels: { verdict: kind },
    });
    return [
      verdict('allowed', allowed),
      ...Object.entries(blocked).map(([kind, value]) => verdict(kind, value)),
      { name: 'policy_failures', help: 'Hooks, and the store of approvals, that failed.', value: failures },
      ...this.#reports.counts(),
      ...[...new Set(this.#policy.hooks.map(({ name }) => name))].map(
        (hook): Count => ({
          name: 'policy_hook_decisions',
          help: 'Decisions of each hook. One that stays 0 may name a tool that there is not.',
          value: this.#reports.decisionsOf(hook),
          labels: { hook },
        }),
      ),
      ...this.#approvalCounts(),
      ...[...this.#refusedCallbacks].map(
        ([channel, value]): Count => ({
          name: 'policy_refused_callbacks',
          help: 'Callbacks of channels that were not verified or not understood.',
          value,
          labels: { channel },
        }),
      ),
    ];
  }

  status(): Fields {
    const { plan, channels } = this.loaded;
    return {
      name: this.#policy.name,
      file: plan.document.file,
      state: plan.state,
      mode: plan.values.mode ?? 'enforce',
      hooks: this.#policy.hooks.length,
      calls: this.#policy.stats.decided,
      unmatched: this.#policy.hooks
        .filter(({ name, event }) => event === 'PreToolUse' && this.#reports.decisionsOf(name) === 0)
        .map(({ name }) => name),
      channels: channels.map(({ name }) => name),
    };
  }

  refusedCallback(channel: string): void {
    this.#refusedCallbacks.set(channel, (this.#refusedCallbacks.get(channel) ?? 0) + 1);
  }

  /** Whoever waits gets no answer, and finds the question again at the next start. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#policy.close();
    await this.loaded.close();
    this.#reports.close();
  }

  /** True once for each session. */
  #begins(session: unknown): boolean {
    if (typeof session !== 'string' || session === '' || this.#sessions.has(session)) return false;
    this.#sessions.add(session);
    const [oldest] = this.#sessions;
    if (this.#sessions.size > MOST_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    return true;
  }

  #approvalCounts(): readonly Count[] {
    const { approvals } = this.loaded;
    if (approvals === undefined) return [];
    this.#lookAtPending();
    const { waiting, sendFailures, updateFailures, refused } = approvals.counts;
    return [
      {
        name: 'policy_approvals_pending',
        help: 'Requests that wait for a person, as of some seconds ago.',
        value: this.#pending,
        kind: 'gauge',
      },
      {
        name: 'policy_approvals_waiting',
        help: 'Of these, those that a call waits for.',
        value: waiting,
        kind: 'gauge',
      },
      { name: 'policy_send_failures', help: 'Requests that a channel could not show.', value: sendFailures },
      { name: 'policy_update_failures', help: 'Outcomes that a channel could not show.', value: updateFailures },
      ...Object.entries(refused).map(
        ([why, value]): Count => ({
          name: 'policy_refused_answers',
          help: 'Answers of people that did not count, by why.',
          value,
          labels: { why },
        }),
      ),
    ];
  }

  #lookAtPending(): void {
    const now = performance.now();
    if (now - this.#pendingAt < PENDING_MILLIS) return;
    this.#pendingAt = now;
    this.loaded.approvals?.pendingCount().then(
      (count) => {
        this.#pending = count;
      },
      () => undefined,
    );
  }
}
