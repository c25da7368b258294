import { join } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import { PolicyPlan } from '@hermes-observer/policy/config';
import type { Command } from 'commander';
import { statusOverSocket } from '../check/service-status.js';
import { loadConfig } from '../config/load-config.js';
import { ApprovalSource } from '../policy/approval-source.js';
import { type Console, EXIT_OK } from './console.js';
import type { Host } from './program.js';
import { usageText } from './usage.js';

/** What all commands about a policy are given. */
export interface PolicyCommandOptions {
  readonly json?: true;
  readonly policy?: string;
  readonly config?: string;
  readonly data?: string;
  readonly socket?: string;
}

export interface PolicySetting {
  readonly socket: string;
  /** That of the configuration, else that of the service which runs. @throws ObserverError `HO_OPTION` without one, `HO_POLICY_CONFIG`. */
  plan(): Promise<PolicyPlan>;
}

/** A command of `policy`, with the flags that say which one is meant. */
export function policyCommand(parent: Command, name: string, description: string): Command {
  const command = parent.command(name);
  return command
    .configureOutput({ outputError: (text, write) => write(usageText(text, command)) })
    .description(description)
    .option('--policy <file>', 'the policy (default: that of the configuration)')
    .option('--config <file>', 'configuration of the service')
    .option('--data <folder>', 'data folder of the service')
    .option('--socket <path>', 'socket of the service')
    .option('--json', 'as JSON');
}

/** @throws ObserverError as `loadConfig`. */
export async function policySetting({ policy, config, data, socket }: PolicyCommandOptions): Promise<PolicySetting> {
  const flags = {
    ...(policy !== undefined && { policy }),
    ...(data !== undefined && { data }),
    ...(socket !== undefined && { socket }),
  };
  const { values } = await loadConfig({ flags, ...(config !== undefined && { file: config }) });
  return {
    socket: values.socket as string,
    plan: async () => {
      if (values.policy !== undefined)
        return new PolicyPlan(values.policy, { state: join(values.data as string, 'policy') });
      return planOfService(values.socket as string, join(values.data as string, 'policy'));
    },
  };
}

/** The file that the service at a socket has in force. `state`: where it keeps what it knows, if it does not say. */
async function planOfService(path: string, state: string): Promise<PolicyPlan> {
  const answer = await statusOverSocket(path);
  const mend = '--policy FILE, or `policy` in the configuration';
  if ('problem' in answer) {
    const text = `no service runs at ${path} (${answer.problem}), and no policy is set: ${mend}; or --data or --socket of a service`;
    throw new ObserverError('HO_OPTION', text);
  }
  const { policy } = answer.status as {
    readonly policy?: { readonly file?: unknown; readonly state?: unknown } | null;
  };
  if (typeof policy?.file !== 'string')
    throw new ObserverError('HO_OPTION', `the service at ${path} has no policy, and none is set: ${mend}`);
  return new PolicyPlan(policy.file, { state: typeof policy.state === 'string' ? policy.state : state });
}

export async function approvalSource(options: PolicyCommandOptions, console: Console): Promise<ApprovalSource> {
  const setting = await policySetting(options);
  return new ApprovalSource(
    setting.socket,
    () => setting.plan(),
    (text) => console.error(text),
  );
}

/** Runs a command's work; its errors become an exit code. */
export async function carryOut(
  { done, createConsole }: Host,
  command: Command,
  work: (console: Console) => Promise<number | undefined>,
): Promise<void> {
  const console = createConsole(command);
  try {
    done((await work(console)) ?? EXIT_OK);
  } catch (error) {
    done(console.refuse(error));
  }
}

export function print(json: true | undefined, value: unknown, text: () => string): void {
  process.stdout.write(json === true ? `${JSON.stringify(value, null, 2)}\n` : text());
}
