import { join } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import { PolicyPlan } from '@hermes-observer/policy/config';
import type { Config } from '../config/load-config.js';
import type { Finding } from './finding.js';
import { reasonOf } from './reasons.js';
import { latest, nameOf, type SeenProducer } from './record-findings.js';
import type { ServiceStatus } from './service-status.js';

const id = 'policy';
const PATIENCE_MILLIS = 3_000;

/** Can the policy be read, is it in force, do its channels answer, and do agents ask? */
export async function policyFindings(
  { values }: Config,
  status: ServiceStatus | undefined,
  producers: readonly SeenProducer[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const inForce = inForceOf(status);
  if (values.policy !== undefined) {
    try {
      const plan = new PolicyPlan(values.policy, { state: join(values.data as string, 'policy') });
      findings.push({
        id,
        level: 'ok',
        text: `the policy ${plan.name} (${plan.document.file}) can be read: ${plan.hooks.length} hooks`,
      });
      for (const text of plan.warnings)
        findings.push({ id, level: 'warning', text, mend: 'let nobody but its user change or read it' });
      findings.push(...inForceFindings(plan, status, inForce), ...(await channelFindings(plan)));
    } catch (error) {
      if (!ObserverError.isInstance(error)) throw error;
      findings.push({
        id,
        level: 'fault',
        text: error.message,
        mend: 'change it where the message says; a service does not start with it',
      });
    }
  } else if (inForce !== undefined) {
    findings.push({
      id,
      level: 'note',
      text: `the service was started with the policy ${inForce.file} by a flag or a variable that this command does not have`,
      mend: 'nothing has to be done; for `check` to look at it, too: `policy` in the configuration, or --policy',
    });
  }
  findings.push(...unmatchedFindings(status));
  if (status !== undefined) findings.push(...askingFindings(producers, inForce !== undefined));
  return findings;
}

interface InForce {
  readonly name: string;
  readonly file: string;
}

function inForceOf(status: ServiceStatus | undefined): InForce | undefined {
  const policy = status?.policy;
  if (typeof policy !== 'object' || policy === null) return undefined;
  const { name, file } = policy as Record<string, unknown>;
  return { name: String(name), file: String(file) };
}

function inForceFindings(plan: PolicyPlan, status: ServiceStatus | undefined, inForce: InForce | undefined): Finding[] {
  if (status === undefined) return [];
  const mend = 'start the service again: it reads its policy at the start';
  if (inForce === undefined) return [{ id, level: 'fault', text: 'the service that runs has no policy', mend }];
  if (inForce.file === plan.document.file) return [];
  return [{ id, level: 'warning', text: `the service that runs has another policy, ${inForce.file}`, mend }];
}

/** Hooks that no call was for: nobody notices a `match` that is misspelt, since it blocks nothing. */
function unmatchedFindings(status: ServiceStatus | undefined): Finding[] {
  const { calls, unmatched } = (status?.policy ?? {}) as { readonly calls?: unknown; readonly unmatched?: unknown };
  if (typeof calls !== 'number' || calls === 0 || !Array.isArray(unmatched) || unmatched.length === 0) return [];
  const text = `of ${calls} calls since the service was started none was for: ${unmatched.map(String).join(', ')}`;
  const mend = 'where that is not what you expect, compare their `match` with the names of the tools (`policy list`)';
  return [{ id, level: 'note', text, mend }];
}

async function channelFindings(plan: PolicyPlan): Promise<Finding[]> {
  const found = await Promise.all(
    plan.channels.map(async (channel): Promise<Finding[]> => {
      const address = addressOf(channel);
      if (address === undefined) return [];
      const problem = await problemAt(address);
      const { name } = channel;
      if (problem === undefined)
        return [{ id, level: 'ok', text: `channel ${name}: ${new URL(address).host} answers` }];
      const text = `channel ${name}: ${new URL(address).host} does not answer: ${problem}`;
      return [
        {
          id,
          level: 'fault',
          text,
          mend: 'check its address and the network; calls that only it brings to a person are blocked',
        },
      ];
    }),
  );
  return found.flat();
}

/** Where a channel sends its requests to; `undefined` for those of this machine. */
function addressOf(channel: PolicyPlan['channels'][number]): string | undefined {
  switch (channel.kind) {
    case 'webhook':
      return channel.options.url;
    case 'slack':
      return channel.options.baseUrl ?? 'https://slack.com/api';
    case 'feishu':
      return (
        channel.options.baseUrl ??
        (channel.options.site === 'lark' ? 'https://open.larksuite.com' : 'https://open.feishu.cn')
      );
    default:
      return undefined;
  }
}

/** Any answer is one: nothing is sent that means something there. */
async function problemAt(address: string): Promise<string | undefined> {
  if (!URL.canParse(address)) return 'it is no address';
  try {
    const signal = AbortSignal.timeout(PATIENCE_MILLIS);
    const response = await fetch(new URL(address).origin, { method: 'HEAD', redirect: 'manual', signal });
    await response.body?.cancel();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Agents that ask nobody, and agents that ask in vain. */
function askingFindings(producers: readonly SeenProducer[], hasPolicy: boolean): Finding[] {
  const agents = latest(producers).filter(({ hello }) => typeof hello.forwarder_version === 'string');
  return agents.flatMap((agent): Finding[] => {
    const asks = agent.hello.policy === 'on';
    if (asks === hasPolicy) return [];
    if (hasPolicy) {
      const text = `${nameOf(agent)} does not ask the policy: its calls run as they come`;
      return [{ id, level: 'warning', text, mend: 'set HERMES_OBSERVER_POLICY=on in its environment, and restart it' }];
    }
    const text = `${nameOf(agent)} asks a policy, and the service has none`;
    return [
      {
        id,
        level: 'fault',
        text,
        mend: 'start the service with --policy FILE; until then all of its calls are blocked, unless it is set otherwise',
      },
    ];
  });
}
