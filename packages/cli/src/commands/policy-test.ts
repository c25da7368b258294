import { text } from 'node:stream/consumers';
import { ObserverError } from '@hermes-observer/core';
import { type Command, Option } from 'commander';
import { callOf, triedText, tryCall } from '../policy/try-call.js';
import { EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { carryOut, type PolicyCommandOptions, policyCommand, policySetting, print } from './policy-setting.js';
import type { Host } from './program.js';

interface TestOptions extends PolicyCommandOptions {
  readonly tool?: string;
  readonly args?: string;
  readonly agent?: string;
  readonly childRole?: readonly string[];
  readonly platform?: string;
  readonly user?: string;
  readonly session?: string;
  readonly scripts: boolean;
  readonly expect?: 'allow' | 'deny' | 'ask';
}

/** Sets up `policy test`. */
export function definePolicyTest(parent: Command, host: Host): void {
  const command = policyCommand(
    parent,
    'test',
    'what the policy says of a call: from flags, or JSON on standard input; the call does not run',
  );
  command
    .option('--tool <name>', 'tool that is called')
    .option('--args <json>', 'its arguments')
    .option('--agent <name>', 'agent that calls')
    .option('--child-role <role...>', 'roles of the child that calls and of those above it, innermost first')
    .option('--platform <name>', 'where the agent is talked to')
    .option('--user <id>', 'whom it works for')
    .option('--session <id>', 'its session')
    .option('--no-scripts', 'leave out hooks that are programs or modules: they run, and do what they do')
    .addOption(new Option('--expect <outcome>', 'end with 1 for any other outcome').choices(['allow', 'deny', 'ask']))
    .action((options: TestOptions) =>
      carryOut(host, command, async (console) => {
        const fields = await fieldsOf(options);
        const plan = await (await policySetting(options)).plan();
        const tried = await tryCall(plan, callOf(fields), options.scripts);
        print(options.json, tried, () => triedText(tried));
        if (options.expect === undefined || options.expect === tried.outcome) return EXIT_OK;
        console.note(`expected ${options.expect}, was ${tried.outcome}`);
        return EXIT_INCOMPLETE;
      }),
    );
}

async function fieldsOf({
  tool,
  args,
  agent,
  childRole,
  platform,
  user,
  session,
}: TestOptions): Promise<Record<string, unknown>> {
  const flags = { tool, agent, child_roles: childRole, platform, user, session_id: session };
  const fields = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  if (tool === undefined && process.stdin.isTTY)
    throw new ObserverError('HO_OPTION', '--tool NAME is missing, or a call as JSON on standard input');
  if (tool === undefined) return { ...objectIn(await text(process.stdin), 'standard input'), ...fields };
  return { ...fields, ...(args === undefined ? {} : { args: objectIn(args, '--args') }) };
}

function objectIn(json: string, where: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // As what is no object.
  }
  throw new ObserverError('HO_OPTION', `${where} must be a JSON object`);
}
