import { createInterface } from 'node:readline/promises';
import { ObserverError } from '@hermes-observer/core';
import { Argument, type Command, Option } from 'commander';
import { type Connection, connectionOf } from '../install/connections.js';
import { applyChange, diffText, type FileChange, removeBackup } from '../install/file-change.js';
import { type Console, EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { asTyped } from './invocation.js';
import type { Host } from './program.js';

interface InstallOptions {
  readonly yes?: boolean;
  readonly capture?: 'none' | 'redacted' | 'full';
  readonly config?: string;
  readonly policy?: boolean;
  readonly policyUnreachable?: 'block' | 'allow';
}

const AGENTS = ['hermes', 'claude-code'] as const;
type Agent = (typeof AGENTS)[number];

const agent = () => new Argument('<agent>', 'agent to connect').choices(AGENTS);

/** Sets up `install`. */
export function defineInstall(command: Command, { done, createConsole }: Host): void {
  command
    .addArgument(agent())
    .option('-y, --yes', 'change without asking')
    .option('--capture <mode>', 'content that Claude Code hands over: none, redacted or full', 'none')
    .option('--config <file>', 'configuration that a service started by the agent uses')
    .option('--policy', "the service's policy decides about the calls of Claude Code")
    .addOption(
      new Option('--policy-unreachable <what>', 'what becomes of them while the service is away')
        .choices(['block', 'allow'])
        .default('block'),
    )
    .action(async (name: Agent, options: InstallOptions) => {
      const console = createConsole(command);
      done(await carryOut(console, options, () => connectionOf(name, options).install()));
    });
}

/** Sets up `uninstall`. */
export function defineUninstall(command: Command, { done, createConsole }: Host): void {
  command
    .addArgument(agent())
    .option('-y, --yes', 'change without asking')
    .action(async (name: Agent, options: InstallOptions) => {
      const console = createConsole(command);
      done(await carryOut(console, options, () => connectionOf(name, options).uninstall(), true));
    });
}

/** Shows what would be done, asks, and does it. Returns the exit code. */
async function carryOut(
  console: Console,
  options: InstallOptions,
  plan: () => ReturnType<Connection['install']>,
  isUndo = false,
): Promise<number> {
  try {
    const { change, steps, left = [], next } = plan();
    show(change, [...steps.map(({ text }) => text), ...left]);
    if (diffText(change) === '' && steps.length === 0) {
      console.note('nothing to do');
      return EXIT_OK;
    }
    if (options.yes !== true && !(await isAgreed())) {
      console.note('nothing was changed');
      return EXIT_INCOMPLETE;
    }
    for (const { run } of steps) run();
    if (change.before !== change.after) applyChange(change);
    if (isUndo) removeBackup(change.path);
    console.note(asTyped(next));
    return EXIT_OK;
  } catch (error) {
    return console.refuse(error);
  }
}

function show(change: FileChange, steps: readonly string[]): void {
  for (const step of steps) process.stdout.write(`${step}\n`);
  process.stdout.write(diffText(change));
}

/** @throws ObserverError `HO_INSTALL` where nobody can be asked. */
async function isAgreed(): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new ObserverError('HO_INSTALL', 'nothing was changed, since nobody can be asked: --yes agrees');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question('Change it? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}
