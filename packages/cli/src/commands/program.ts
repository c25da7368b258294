import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { Console } from './console.js';
import { defineDemo } from './demo.js';
import { invocation } from './invocation.js';
import { defineReplay } from './replay.js';
import { defineView } from './view.js';

/** What a command needs of the program it is part of. */
export interface Host {
  /** Gets the exit code of the command that ran. */
  readonly done: (exitCode: number) => void;
  readonly createConsole: (command: Command) => Console;
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The command line. `done` is called with the exit code of the command that ran. */
export function createProgram(
  done: Host['done'],
  writeErr = (text: string) => void process.stderr.write(text),
): Command {
  const program = new Command('hermes-observer')
    .description('Hook records of an agent as OpenTelemetry spans.')
    .version(version)
    .option('--debug', 'show stack traces of faults')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true });
  const host: Host = {
    done,
    createConsole: (command) => new Console(command.optsWithGlobals().debug === true),
  };
  defineReplay(program.command('replay'), host);
  defineView(program.command('view'), host);
  defineDemo(program.command('demo'), host);
  for (const command of [program, ...program.commands]) {
    command.configureOutput({ writeErr, outputError: (text, write) => write(usageText(text, command)) });
  }
  return program;
}

/** What is wrong with the use of a command: one line with its code, and where help is. */
function usageText(text: string, command: Command): string {
  const problem = text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
  const name = command.parent === null ? '' : ` ${command.name()}`;
  return `hermes-observer: ${problem} [HO_OPTION]\nsee ${invocation()}${name} --help\n`;
}
