import { join } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import { PolicyPlan } from '@hermes-observer/policy/config';
import type { Command } from 'commander';
import { loadConfig } from '../config/load-config.js';
import { ApprovalSource } from '../policy/approval-source.js';
import { type Console, EXIT_OK } from './console.js';
import type { Host } from './program.js';

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
  /** @throws ObserverError `HO_OPTION` where none is set, `HO_POLICY_CONFIG`. */
  plan(): PolicyPlan;
}

/** A command of `policy`, with the flags that say which one is meant. */
export function policyCommand(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
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
    plan: () => {
      if (values.policy !== undefined)
        return new PolicyPlan(values.policy, { state: join(values.data as string, 'policy') });
      throw new ObserverError('HO_OPTION', 'no policy is set: --policy FILE, or `policy` in the configuration');
    },
  };
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
