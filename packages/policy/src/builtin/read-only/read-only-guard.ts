import { homedir } from 'node:os';
import { parseArgPath, valuesAt } from '../../hooks/arg-path.js';
import { checkFields, configError, kindOf } from '../../hooks/config-error.js';
import { compileGlob, type TextTest } from '../../hooks/glob.js';
import type { HookAnswer, HookContext } from '../../hooks/hook.js';
import { BuiltinHook, type BuiltinSettings, block, choiceOf, textsOf } from '../builtin-hook.js';
import { MOST_LINES, readCommand } from '../command/command-guard.js';
import type { LineSettings, ShellKind } from '../command/read-line.js';
import { onlyReads } from './reading-programs.js';

export interface ReadOnlyGuardOptions extends BuiltinSettings {
  /** Tools that only read: names or globs. @default those of Claude Code and of Hermes Agent */
  readonly read?: readonly string[] | undefined;
  /** Tools that write, also where `read` has them. @default none beside those that are not known */
  readonly write?: readonly string[] | undefined;
  /** Tools that run a command, with where it stands in their arguments. @default `terminal`, `Bash` and others, at `command` */
  readonly commands?: Readonly<Record<string, string>> | undefined;
  /** Tools that are in no list. @default 'deny' */
  readonly unknown?: 'deny' | 'allow' | undefined;
  /** As in `CommandGuard`. @default 'any' */
  readonly shell?: ShellKind | undefined;
}

const READ = [
  ...['Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'TodoRead', 'WebSearch', 'BashOutput'],
  ...[
    'read_file',
    'search_files',
    'list_files',
    'list_directory',
    'web_search',
    'session_search',
    'skills_list',
    'skill_view',
    'vision_analyze',
  ],
];
const COMMANDS = {
  terminal: 'command',
  Bash: 'command',
  bash: 'command',
  shell: 'command',
  execute_command: 'command',
};

/**
 * Lets tools read and not write. A tool is taken for what its list says; a command for the programs that it would start. A
 * tool that reads may still tell others what it read, as a search of the web does.
 */
export class ReadOnlyGuard extends BuiltinHook {
  readonly #read: readonly TextTest[];
  readonly #write: readonly TextTest[];
  readonly #commands: readonly {
    readonly test: TextTest;
    readonly path: string;
    readonly steps: ReturnType<typeof parseArgPath>;
  }[];
  readonly #unknown: 'deny' | 'allow';
  readonly #line: LineSettings;

  /** @throws ObserverError `HO_POLICY_CONFIG`. */
  constructor(options: ReadOnlyGuardOptions = {}) {
    super('ReadOnlyGuard', 'PreToolUse', options, ['read', 'write', 'commands', 'unknown', 'shell']);
    const where = (field: string) => `\`${field}\` of ${this.name}`;
    this.#read = globs(options.read ?? READ, where('read'));
    this.#write = globs(options.write ?? [], where('write'));
    const commands = checkFields(
      options.commands ?? COMMANDS,
      Object.keys(options.commands ?? COMMANDS),
      where('commands'),
    );
    this.#commands = Object.entries(commands).map(([tool, path]) => {
      if (typeof path !== 'string')
        throw configError(`${where('commands')}: ${kindOf(path)} is no path into arguments.`);
      try {
        return { test: compileGlob(tool), path, steps: parseArgPath(path) };
      } catch (cause) {
        throw configError(`${where('commands')}: ${(cause as Error).message}.`, cause);
      }
    });
    this.#unknown = choiceOf(options.unknown ?? 'deny', ['deny', 'allow'], where('unknown'));
    this.#line = { shell: choiceOf(options.shell ?? 'any', ['bash', 'any'], where('shell')), home: homedir() };
  }

  execute({ tool, args }: HookContext): HookAnswer {
    if (this.#write.some((test) => test(tool)))
      return block(`\`${tool.slice(0, 80)}\` writes, and nothing may be written.`);
    const runs = this.#commands.filter(({ test }) => test(tool));
    for (const { path, steps } of runs) {
      const fault = this.#commandFault(valuesAt(args, steps), path);
      if (fault !== undefined) return block(fault);
    }
    if (runs.length > 0 || this.#read.some((test) => test(tool)) || this.#unknown === 'allow') return undefined;
    return block(`\`${tool.slice(0, 80)}\` is none of the tools that only read.`);
  }

  #commandFault(found: readonly unknown[], path: string): string | undefined {
    if (found.length === 0) return `There is no command at \`${path}\`.`;
    if (found.length > MOST_LINES) return `There are more than ${MOST_LINES} commands at \`${path}\`.`;
    for (const value of found) {
      const reading = readCommand(value, this.#line);
      if (reading === undefined) return 'The command is neither a text nor a list of texts.';
      const [unclear] = reading.unclear;
      if (unclear !== undefined) return `Nothing may be written, and the command cannot be judged: ${unclear}.`;
      const writing = reading.invocations.find((invocation) => !onlyReads(invocation));
      if (writing === undefined) continue;
      const name = (writing.words[0]?.text ?? 'a redirection').slice(0, 60);
      return `\`${name}\` with these arguments may write, and nothing may be written.`;
    }
    return undefined;
  }
}

function globs(given: unknown, where: string): TextTest[] {
  return textsOf(given, where).map((pattern) => {
    try {
      return compileGlob(pattern);
    } catch (cause) {
      throw configError(`${where}: ${(cause as Error).message}.`, cause);
    }
  });
}
