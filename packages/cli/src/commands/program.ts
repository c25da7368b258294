import { Command } from 'commander';
import { Console } from './console.js';
import { VERSION } from './own-version.js';
import { usageText } from './usage.js';

/** What a command needs of the program it is part of. */
export interface Host {
  /** Gets the exit code of the command that ran. */
  readonly done: (exitCode: number) => void;
  readonly createConsole: (command: Command) => Console;
}

type Define = (command: Command, host: Host) => void;

interface Entry {
  readonly name: string;
  readonly usage: string;
  readonly description: string;
  /** Loaded when the command runs: each needs much that the others do not. */
  readonly load: () => Promise<Define>;
}

const COMMANDS: readonly Entry[] = [
  {
    name: 'serve',
    usage: '[options]',
    description: 'take records of agents, keep them, and send their spans to backends',
    load: async () => (await import('./serve.js')).defineServe,
  },
  {
    name: 'check',
    usage: '[options]',
    description: 'find out why traces do not arrive, and what to do',
    load: async () => (await import('./check.js')).defineCheck,
  },
  {
    name: 'config',
    usage: '[options]',
    description: 'show the settings in force, and where each came from',
    load: async () => (await import('./config.js')).defineConfig,
  },
  {
    name: 'install',
    usage: '[options] <agent>',
    description: 'connect an agent: hermes or claude-code',
    load: async () => (await import('./install.js')).defineInstall,
  },
  {
    name: 'uninstall',
    usage: '[options] <agent>',
    description: 'undo that',
    load: async () => (await import('./install.js')).defineUninstall,
  },
  {
    name: 'hook',
    usage: '[options] claude-code',
    description: 'hand one event of an agent over, from standard input; agents call it',
    load: async () => (await import('./hook.js')).defineHook,
  },
  {
    name: 'policy',
    usage: '[options] <command>',
    description:
      'what the policy decides, and who is asked: test, list, pending, approve, deny, remembered, revoke, verify-audit',
    load: async () => (await import('./policy.js')).definePolicy,
  },
  {
    name: 'replay',
    usage: '[options] <file...>',
    description: 'read recordings (NDJSON) and write their spans to a file or send them',
    load: async () => (await import('./replay.js')).defineReplay,
  },
  {
    name: 'view',
    usage: '[options] [file...]',
    description: 'open the page of the service, or show recordings and OTLP/JSON files',
    load: async () => (await import('./view.js')).defineView,
  },
  {
    name: 'demo',
    usage: '[options]',
    description: 'show what the spans of an agent look like, from recordings that come with this package',
    load: async () => (await import('./demo.js')).defineDemo,
  },
];

/** The command line. `done` is called with the exit code of the command that ran. */
export function createProgram(
  done: Host['done'],
  writeErr = (text: string) => void process.stderr.write(text),
): Command {
  const program = new Command('hermes-observer')
    .description('Hook records of an agent as OpenTelemetry spans.')
    .version(VERSION)
    .option('--debug', 'show stack traces of faults')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true });
  const host: Host = {
    done,
    createConsole: (command) => new Console(command.optsWithGlobals().debug === true),
  };
  for (const { name, usage, description } of COMMANDS) program.command(name).usage(usage).description(description);
  program.hook('preSubcommand', async (_, command) => {
    const entry = COMMANDS.find(({ name }) => name === command.name());
    if (entry !== undefined) (await entry.load())(command, host);
  });
  for (const command of [program, ...program.commands]) {
    command.configureOutput({ writeErr, outputError: (text, write) => write(usageText(text, command)) });
  }
  return program;
}

/** `help policy approve` is `policy approve --help`: the help of commands of commands is their own. */
export function withHelpAsOption(args: readonly string[]): readonly string[] {
  const [first, ...names] = args;
  const isPath = first === 'help' && names.length > 1 && names.every((name) => !name.startsWith('-'));
  return isPath ? [...names, '--help'] : args;
}
