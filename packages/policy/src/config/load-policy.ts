import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Approvals } from '../approvals/approvals.js';
import type { BaseChannel } from '../channels/base-channel.js';
import { WebChannel } from '../channels/web/web-channel.js';
import type { PolicyOptions } from '../engine/options.js';
import { makeChannels } from './make-channels.js';
import { makeHooks } from './make-hooks.js';
import { openStore } from './open-store.js';
import { type PlanOptions, PolicyPlan } from './policy-plan.js';

export interface LoadOptions extends PlanOptions {
  /** Address of the pages of a `web` channel, which the host serves. @default none */
  readonly webUrl?: string | undefined;
  /** What is typed to answer a request by a command, but for its id. @default `hermes-observer policy approve ID --policy <file>` */
  readonly commandOf?: ((id: string) => string) | undefined;
  /** The agent works in another process: its working folder is not that of this one. @default false */
  readonly isRemote?: boolean | undefined;
  /** Told what people have to know who run this: links of requests, with their codes. @default standard error */
  readonly onNotice?: ((text: string) => void) | undefined;
  /** Told of what could be unsafe, and of what failed without consequences. @default a warning of the process */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** A policy of a file, opened: what `createPolicy` takes, and who brings its questions to people. */
export interface LoadedPolicy {
  readonly plan: PolicyPlan;
  readonly options: PolicyOptions;
  readonly approvals: Approvals | undefined;
  readonly channels: readonly BaseChannel[];
  /** Closes the channels and the store. Close the policy first: it has the hooks. */
  close(): Promise<void>;
}

/**
 * Reads a policy's YAML file and opens all that it names, for a program: channels that only a service can bring answers from
 * are refused. See `docs/policy.md`.
 * @throws ObserverError `HO_POLICY_CONFIG`: file, line, column, and the nearest known name; `HO_POLICY_STORE`,
 * `HO_POLICY_AUDIT`, `HO_PEER_MISSING` for what cannot be opened. Then nothing is left open.
 */
export async function loadPolicy(path: string, options: LoadOptions = {}): Promise<LoadedPolicy> {
  const plan = new PolicyPlan(path, options);
  checkAnswerable(plan, options);
  return openPolicy(plan, options);
}

/** A question that nobody can answer is not asked. */
function checkAnswerable({ channels, document, values }: PolicyPlan, { webUrl }: LoadOptions): void {
  const hasSharedStore = values.store !== undefined && !('file' in values.store);
  for (const { kind, place } of channels) {
    const where = 'use `terminal`, or give the policy to `hermes-observer serve --policy`';
    if (kind === 'command' && !hasSharedStore) {
      const why = 'a channel `command` needs the service, or a store that a command can open beside this program';
      throw document.fault(place, `${why} (\`store: { sqlite: … }\`): ${where}.`, true);
    }
    if (kind === 'web' && webUrl === undefined)
      throw document.fault(place, `a channel \`web\` needs the service, which serves its pages: ${where}.`, true);
  }
}

/** The same for a plan that was read before. */
export async function openPolicy(plan: PolicyPlan, options: LoadOptions = {}): Promise<LoadedPolicy> {
  const warn = options.onWarning ?? ((text: string) => process.emitWarning(text));
  const notice = options.onNotice ?? ((text: string) => void process.stderr.write(`${text}\n`));
  for (const warning of plan.warnings) warn(warning);
  const { commandOf = (id) => `hermes-observer policy approve ${id} --policy ${plan.document.file}` } = options;
  const channels = makeChannels(plan, { webUrl: options.webUrl, notice, commandOf });
  const folder = (path: string) => path;
  const hooks = await makeHooks(plan, { isRemote: options.isRemote ?? false, folder, hasScripts: true });
  let approvals: Approvals | undefined;
  try {
    approvals = channels.length === 0 ? undefined : await openApprovals(plan, channels, warn);
    const { mode, evaluation } = plan.values;
    return {
      plan,
      options: {
        hooks,
        name: plan.name,
        ...(mode === undefined ? {} : { mode }),
        ...(evaluation === undefined ? {} : { evaluation: { asks: evaluation } }),
        ...(approvals === undefined ? {} : { approvals, approverSalt: saltOf(plan) }),
      },
      approvals,
      channels,
      close: async () => approvals?.close(),
    };
  } catch (error) {
    await Promise.allSettled([approvals?.close(), ...hooks.map(async (hook) => hook.close?.())]);
    throw error;
  }
}

/** Approvals of a plan, with these channels. They close the store. @throws as `openStore`, and `Approvals.open`. */
export async function openApprovals(
  plan: PolicyPlan,
  channels: readonly BaseChannel[],
  onWarning: (text: string) => void,
): Promise<Approvals> {
  const store = await openStore(plan, onWarning);
  const web = channels.find((channel) => channel instanceof WebChannel);
  try {
    const link = web === undefined ? {} : { link: ({ id }: { readonly id: string }) => web.linkOf(id) };
    return await Approvals.open({ store, channels, onWarning, ...link });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** References to approvers stay the same after a restart. */
function saltOf(plan: PolicyPlan): string {
  const { approverSalt } = plan.values;
  if (approverSalt !== undefined) return approverSalt;
  const file = join(plan.state, 'approver-salt');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw plan.document.fault([], `${file} cannot be read.`);
  }
  const salt = randomBytes(16).toString('hex');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${salt}\n`, { mode: 0o600, flag: 'wx' });
  return salt;
}
