import type { ShellWord } from './shell-word.js';

/** Options that a program takes before the command that it starts. */
export interface OptionGrammar {
  /** Letters of options without a value. */
  readonly flags?: string;
  /** Letters of options with one: the rest of the word, or the next word. */
  readonly values?: string;
  /** Letters of options whose value, if any, is the rest of the word. */
  readonly attached?: string;
  readonly longFlags?: readonly string[];
  readonly longValues?: readonly string[];
  /** `NAME=value` may stand before the command. */
  readonly assigns?: boolean;
  /** Words before the command, such as the duration of `timeout`. */
  readonly operands?: number;
}

export interface ReadOptions {
  /** Where the command begins; as many as there are words where there is none. */
  readonly command: number;
  /** `-x` and `--xx` as given, each with its value. */
  readonly options: ReadonlyMap<string, ShellWord | undefined>;
  readonly assigned: readonly string[];
}

/** Reads the options in front of a command. A text says why that is not possible. */
export function readOptions(words: readonly ShellWord[], grammar: OptionGrammar): ReadOptions | string {
  const options = new Map<string, ShellWord | undefined>();
  const assigned: string[] = [];
  let operands = grammar.operands ?? 0;
  let i = 1;
  let ended = false;
  for (; i < words.length; i++) {
    const word = words[i] as ShellWord;
    const assignment = grammar.assigns === true ? assignedBy(word, ended) : undefined;
    if (assignment !== undefined && word.count !== 'any') {
      assigned.push(assignment);
      ended = true;
      continue;
    }
    const { text } = word;
    if (!ended && mayBeOption(word)) {
      if (text === undefined) return 'its options are not known before it runs';
      if (text === '--') {
        ended = true;
        continue;
      }
      const taken = text.startsWith('--')
        ? longOption(text, words[i + 1], grammar, options)
        : shortOptions(text, words[i + 1], grammar, options);
      if (taken === undefined) return `its option ${text.slice(0, 20)} is not known`;
      i += taken;
      continue;
    }
    if (operands === 0) break;
    if (word.count !== 'one') return 'its options are not known before it runs';
    operands--;
    // A command begins with an operand: options behind it are the command's, but for operands that are still to come.
    ended = operands === 0;
  }
  return { command: Math.min(i, words.length), options, assigned };
}

/** The variable that a word sets, in front of a command: anything with a `=`, also without a name. */
const assignedBy = ({ prefix }: ShellWord, ended: boolean): string | undefined =>
  ended || !prefix.startsWith('-') ? /^([^=]*)=/.exec(prefix)?.[1] : undefined;

/** Whether a word may be an option: `-` alone is none. */
export function mayBeOption({ text, prefix }: ShellWord): boolean {
  return text === undefined ? prefix === '' || prefix.startsWith('-') : text.startsWith('-') && text !== '-';
}

/** Words that the option takes beside its own. `undefined`: there is no such option. */
function longOption(
  text: string,
  next: ShellWord | undefined,
  grammar: OptionGrammar,
  options: Map<string, ShellWord | undefined>,
): number | undefined {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const value = equals < 0 ? undefined : text.slice(equals + 1);
  if (grammar.longFlags?.includes(name) === true && value === undefined) {
    options.set(name, undefined);
    return 0;
  }
  if (grammar.longValues?.includes(name) !== true) return undefined;
  options.set(name, value === undefined ? next : { text: value, prefix: value, count: 'one' });
  return value === undefined ? 1 : 0;
}

function shortOptions(
  text: string,
  next: ShellWord | undefined,
  { flags = '', values = '', attached = '' }: OptionGrammar,
  options: Map<string, ShellWord | undefined>,
): number | undefined {
  for (let i = 1; i < text.length; i++) {
    const letter = text[i] as string;
    const rest = text.slice(i + 1);
    const value: ShellWord = { text: rest, prefix: rest, count: 'one' };
    if (values.includes(letter)) {
      options.set(`-${letter}`, rest === '' ? next : value);
      return rest === '' ? (next?.count === 'one' ? 1 : undefined) : 0;
    }
    if (attached.includes(letter)) {
      options.set(`-${letter}`, value);
      return 0;
    }
    if (!flags.includes(letter)) return undefined;
    options.set(`-${letter}`, undefined);
  }
  return 0;
}
