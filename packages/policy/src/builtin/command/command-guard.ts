import { homedir } from 'node:os';
import { valuesAt } from '../../hooks/arg-path.js';
import { configError } from '../../hooks/config-error.js';
import type { ApprovalTerms, HookAnswer, HookContext } from '../../hooks/hook.js';
import { argPathsOf, BuiltinHook, type BuiltinSettings, block, choiceOf } from '../builtin-hook.js';
import { PathList } from '../path/path-list.js';
import { type CommandRule, CompiledRule, isOutside } from './command-rule.js';
import { type LineSettings, readArgv, readLine, type ShellKind } from './read-line.js';
import type { Invocation, ShellReading } from './shell-word.js';
import { baseName } from './unwrap.js';

export interface CommandGuardOptions extends BuiltinSettings {
  /** Where the command stands in the arguments: a line for a shell, or a list of words. @default 'command' */
  readonly command?: string | readonly string[] | undefined;
  /** What must not run. A text is the name of a program. */
  readonly deny?: readonly (CommandRule | string)[] | undefined;
  /** What a person has to approve. */
  readonly ask?: readonly (CommandRule | string)[] | undefined;
  /** What may run where `otherwise` is not `allow`. Never a way around `deny` and `ask`. */
  readonly allow?: readonly (CommandRule | string)[] | undefined;
  /** For programs that no rule is about. @default 'deny' with an `allow`, else 'allow' */
  readonly otherwise?: 'deny' | 'ask' | 'allow' | undefined;
  /** For what cannot be told before it runs: a program whose name is in a variable, code of other languages. @default 'deny' */
  readonly unclear?: 'deny' | 'ask' | undefined;
  /** Folders that redirections (`> file`) may write to, as in `PathGuard`. @default anywhere */
  readonly writes?: readonly string[] | undefined;
  /** Which shell runs the lines. `any`: what Bash and a plain POSIX shell read differently is unclear. Others, such as Zsh and fish, read lines in ways of their own. @default 'any' */
  readonly shell?: ShellKind | undefined;
  /** Where commands begin, for `outside`. `undefined`: relative paths are unclear. */
  readonly cwd?: string | undefined;
  /** What `~` stands for. @default the home of the user of this process */
  readonly home?: string | undefined;
  /** Of what a person is asked. */
  readonly terms?: ApprovalTerms | undefined;
}

const OPTIONS = ['command', 'deny', 'ask', 'allow', 'otherwise', 'unclear', 'writes', 'shell', 'cwd', 'home', 'terms'];
const RANK = { allow: 0, ask: 1, deny: 2 } as const;
type Answer = keyof typeof RANK;

/** Commands in one call, and words of one that is a list of words. */
export const MOST_LINES = 100;
const MOST_WORDS = 10_000;

interface Finding {
  readonly answer: Answer;
  readonly why: string;
}

/**
 * Judges commands by the programs that they would start and by their arguments, read as a shell reads them. What it cannot
 * read it does not let pass. It sees what a command line says, not what programs do: a script or a build that is started, a
 * copy of a program under another name, are what they are named. To be safe from these, list what may run in `allow`.
 */
export class CommandGuard extends BuiltinHook {
  readonly #at: ReturnType<typeof argPathsOf>;
  readonly #rules: readonly (readonly [Answer, CompiledRule])[];
  readonly #otherwise: Answer;
  readonly #unclear: 'deny' | 'ask';
  readonly #line: LineSettings;
  readonly #writes: PathList | undefined;
  readonly #cwd: string | undefined;
  readonly #terms: ApprovalTerms;

  /** @throws ObserverError `HO_POLICY_CONFIG`. */
  constructor(options: CommandGuardOptions) {
    super('CommandGuard', 'PreToolUse', options, OPTIONS);
    const where = (field: string) => `\`${field}\` of ${this.name}`;
    const { home = homedir(), cwd, allow, terms = {} } = options;
    const rules = (answer: Answer, given: CommandGuardOptions['deny'] = []) => {
      if (!Array.isArray(given)) throw configError(`${where(answer)} must be a list of rules.`);
      return given.map(
        (rule: CommandRule | string, i) =>
          [
            answer,
            new CompiledRule(rule, `rule ${i + 1} of ${where(answer)}`, { cwd, home }, answer === 'allow'),
          ] as const,
      );
    };
    this.#at = argPathsOf(options.command ?? 'command', where('command'));
    this.#rules = [...rules('deny', options.deny), ...rules('ask', options.ask), ...rules('allow', allow)];
    const otherwise = options.otherwise ?? (allow === undefined ? 'allow' : 'deny');
    this.#otherwise = choiceOf(otherwise, ['deny', 'ask', 'allow'], where('otherwise'));
    if (this.#rules.length === 0 && this.#otherwise === 'allow' && options.writes === undefined)
      throw configError(`${this.name} has no rules: it would allow everything.`);
    this.#unclear = choiceOf(options.unclear ?? 'deny', ['deny', 'ask'], where('unclear'));
    this.#line = { shell: choiceOf(options.shell ?? 'any', ['bash', 'any'], where('shell')), home };
    this.#writes =
      options.writes === undefined ? undefined : new PathList(options.writes, where('writes'), false, home);
    this.#cwd = cwd;
    this.#terms = terms;
  }

  async execute({ args }: HookContext): Promise<HookAnswer> {
    const found = this.#at.flatMap(({ steps }) => valuesAt(args, steps));
    if (found.length === 0)
      return block(`There is no command at \`${this.#at.map(({ path }) => path).join('`, `')}\`.`);
    if (found.length > MOST_LINES) return block(`There are more than ${MOST_LINES} commands.`);
    let worst: Finding = { answer: 'allow', why: '' };
    for (const value of found) {
      const reading = readCommand(value, this.#line);
      if (reading === undefined) return block('The command is neither a text nor a list of texts.');
      for await (const finding of this.#findings(reading)) {
        if (RANK[finding.answer] > RANK[worst.answer]) worst = finding;
      }
    }
    if (worst.answer === 'deny') return block(worst.why);
    return worst.answer === 'ask' ? { ask: { title: worst.why, ...this.#terms } } : undefined;
  }

  async *#findings({ invocations, unclear }: ShellReading): AsyncGenerator<Finding> {
    for (const why of unclear) yield { answer: this.#unclear, why: `The command cannot be judged: ${why}.` };
    for (const invocation of invocations) yield* this.#judge(invocation);
  }

  async *#judge(invocation: Invocation): AsyncGenerator<Finding> {
    const name = baseName(invocation.words[0]?.text ?? '').slice(0, 60);
    let isNamed = invocation.words.length === 0;
    yield* this.#judgeWrites(invocation);
    for (const [answer, rule] of this.#rules) {
      const match = await rule.match(invocation);
      if (match === 'no') continue;
      if (answer === 'allow') {
        isNamed ||= match === 'yes';
        continue;
      }
      isNamed = true;
      if (match === 'yes')
        yield {
          answer,
          why: rule.reason ?? `\`${name}\` with these arguments ${answer === 'deny' ? 'is denied' : 'needs approval'}.`,
        };
      else
        yield {
          answer: this.#unclear,
          why: `Whether \`${name}\` may run depends on what is not known before it does.`,
        };
    }
    if (!isNamed && this.#otherwise !== 'allow') {
      yield { answer: this.#otherwise, why: `\`${name}\` is none of the programs that may run.` };
    }
  }

  async *#judgeWrites({ writes, moved }: Invocation): AsyncGenerator<Finding> {
    if (this.#writes === undefined) return;
    const base = { home: this.#line.home, cwd: moved ? undefined : this.#cwd };
    for (const { text } of writes) {
      const outside = text === undefined ? 'maybe' : await isOutside(this.#writes, text, base);
      if (outside === 'yes')
        yield { answer: 'deny', why: 'The command writes to a file out of the folders that are allowed.' };
      if (outside === 'maybe')
        yield { answer: this.#unclear, why: 'Where the command writes to is not known before it runs.' };
    }
  }
}

/** A line for a shell, or words of a program. `undefined`: neither, or too many words. */
export function readCommand(value: unknown, settings: LineSettings): ShellReading | undefined {
  if (typeof value === 'string') return readLine(value, settings);
  const isArgv =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MOST_WORDS &&
    value.every((word) => typeof word === 'string');
  return isArgv ? readArgv(value as string[], settings) : undefined;
}
