import { checkFields, configError, kindOf } from '../../hooks/config-error.js';
import { compileGlob } from '../../hooks/glob.js';
import { textsOf } from '../builtin-hook.js';
import { PathList } from '../path/path-list.js';
import { type PathBase, pathReadings } from '../path/path-readings.js';
import { mayBeOption } from './option-grammar.js';
import type { Invocation, ShellWord } from './shell-word.js';
import { baseName } from './unwrap.js';

/** What a rule is about: all that is given has to hold. */
export interface CommandRule {
  /**
   * Names of programs, or globs over them; with a `/`, over the whole path. A name that is allowed is not allowed in any
   * folder: it stands alone, or in one of the system (`/bin`, `/usr/bin`, …).
   */
  readonly program: string | readonly string[];
  /** One of these options is there, in any spelling: `-r` in `-fr`, `--recursive` as `--recurs`. */
  readonly flags?: string | readonly string[] | undefined;
  /** For each of these globs, an argument is there that it matches. */
  readonly args?: string | readonly string[] | undefined;
  /** An argument that is no option leads out of these folders (as in `PathGuard`). */
  readonly outside?: readonly string[] | undefined;
  /** What the model reads. */
  readonly reason?: string | undefined;
}

/** `maybe`: it depends on what only the running shell knows. */
export type RuleMatch = 'yes' | 'no' | 'maybe';

const FIELDS = ['program', 'flags', 'args', 'outside', 'reason'];

export class CompiledRule {
  readonly reason: string | undefined;
  readonly exact: boolean;
  readonly #programs: readonly { readonly whole: boolean; readonly test: (name: string) => boolean }[];
  readonly #flags: readonly string[] | undefined;
  readonly #args: readonly ((text: string) => boolean)[];
  readonly #outside: PathList | undefined;
  readonly #base: PathBase;

  /** `exact`: for a rule that allows, capitals and short forms are not overlooked. */
  constructor(given: CommandRule | string, where: string, base: PathBase, exact: boolean) {
    const rule =
      typeof given === 'string' ? { program: given } : (checkFields(given, FIELDS, where) as unknown as CommandRule);
    const glob = (pattern: string, place: string) => {
      try {
        return compileGlob(pattern);
      } catch (cause) {
        throw configError(`${place}: ${(cause as Error).message}.`, cause);
      }
    };
    const programs = textsOf(rule.program, `\`program\` of ${where}`);
    if (programs.length === 0) throw configError(`\`program\` of ${where} is empty.`);
    this.exact = exact;
    this.#programs = programs.map((name) => ({
      whole: name.includes('/'),
      test: glob(exact ? name : name.toLowerCase(), `\`program\` of ${where}`),
    }));
    this.#flags = rule.flags === undefined ? undefined : textsOf(rule.flags, `\`flags\` of ${where}`);
    for (const flag of this.#flags ?? []) {
      if (!/^(-[^-]|--[^-=].*)$/.test(flag))
        throw configError(`\`flags\` of ${where}: ${kindOf(flag)} is neither -x nor --name.`);
    }
    this.#args =
      rule.args === undefined ? [] : textsOf(rule.args, `\`args\` of ${where}`).map((arg) => glob(arg, where));
    this.#outside =
      rule.outside === undefined ? undefined : new PathList(rule.outside, `\`outside\` of ${where}`, false, base.home);
    this.#base = base;
    this.reason = rule.reason === undefined ? undefined : textsOf(rule.reason, `\`reason\` of ${where}`).join(' ');
  }

  async match(invocation: Invocation): Promise<RuleMatch> {
    const program = invocation.words[0]?.text;
    if (program === undefined) return invocation.words.length === 0 ? 'no' : 'maybe';
    if (!this.#isProgram(program)) return 'no';
    const args = invocation.words.slice(1);
    let all = weakest('yes', this.#flags === undefined ? 'yes' : this.#hasFlag(this.#flags, args));
    for (const test of this.#args) {
      if (all === 'no') return 'no';
      all = weakest(
        all,
        strongest(args.map((arg) => (arg.text === undefined ? 'maybe' : test(arg.text) ? 'yes' : 'no'))),
      );
    }
    if (all === 'no' || this.#outside === undefined) return all;
    return weakest(all, await this.#leavesFolders(this.#outside, args, invocation.moved));
  }

  #isProgram(program: string): boolean {
    const text = this.exact ? program : program.toLowerCase();
    // Whoever may write a file could name it as a program that is allowed.
    const isElsewhere = this.exact && text.includes('/') && !SYSTEM_FOLDERS.test(text);
    return this.#programs.some(({ whole, test }) => (whole ? test(text) : !isElsewhere && test(baseName(text))));
  }

  #hasFlag(flags: readonly string[], args: readonly ShellWord[]): RuleMatch {
    let found: RuleMatch = 'no';
    for (const arg of args) {
      if (arg.text === '--') break;
      found = strongest([
        found,
        arg.text === undefined ? (mayHold(arg) ? 'maybe' : 'no') : isFlag(flags, arg.text) ? 'yes' : 'no',
      ]);
    }
    return found;
  }

  async #leavesFolders(folders: PathList, args: readonly ShellWord[], moved: boolean): Promise<RuleMatch> {
    const base = moved ? { ...this.#base, cwd: undefined } : this.#base;
    let found: RuleMatch = 'no';
    let ended = false;
    for (const arg of args) {
      if (!ended && arg.text === '--') ended = true;
      else if (arg.text === undefined) found = strongest([found, 'maybe']);
      else if (ended || !mayBeOption(arg)) found = strongest([found, await isOutside(folders, arg.text, base)]);
      else if (arg.text.includes('=')) {
        found = strongest([found, await isOutside(folders, arg.text.slice(arg.text.indexOf('=') + 1), base)]);
      } else if (/[/~]|\.\./.test(arg.text)) found = strongest([found, 'maybe']);
    }
    return found;
  }
}

const SYSTEM_FOLDERS = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$|^\/opt\/homebrew\/s?bin\/[^/]+$/;

/** Whether a word that is not known may be an option, or bring one along. */
const mayHold = (word: ShellWord): boolean => mayBeOption(word) || word.count === 'any';

function isFlag(flags: readonly string[], text: string): boolean {
  if (!text.startsWith('-') || text === '-') return false;
  const name = /^[^=]*/.exec(text)?.[0] ?? '';
  return flags.some((flag) =>
    flag.startsWith('--')
      ? // Programs take any start of a name that is no start of another one, some with one dash.
        (name.length > 3 && flag.startsWith(name)) || name === flag || name === flag.slice(1)
      : !text.startsWith('--') && text.includes(flag[1] ?? '-', 1),
  );
}

/** Whether a path leads out of all folders. */
export async function isOutside(folders: PathList, text: string, base: PathBase): Promise<RuleMatch> {
  try {
    const { places } = await pathReadings(text, base);
    for (const place of places) if (!(await folders.has(place))) return 'yes';
    return 'no';
  } catch {
    return 'maybe';
  }
}

const ORDER: readonly RuleMatch[] = ['no', 'maybe', 'yes'];
const weakest = (a: RuleMatch, b: RuleMatch): RuleMatch => (ORDER.indexOf(a) < ORDER.indexOf(b) ? a : b);
const strongest = (all: readonly RuleMatch[]): RuleMatch =>
  all.includes('yes') ? 'yes' : all.includes('maybe') ? 'maybe' : 'no';
