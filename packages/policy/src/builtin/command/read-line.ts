import {
  type Assignment,
  type Command,
  forEachChild,
  type ParsedScript,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { doubtOf } from './doubtful-syntax.js';
import { readWord } from './read-word.js';
import type { Invocation, ShellReading, ShellWord } from './shell-word.js';
import { known } from './shell-word.js';
import { unwrap } from './unwrap.js';

/** Which shell runs the lines. `any`: what Bash and a plain POSIX shell read differently counts as unclear. */
export type ShellKind = 'bash' | 'any';

/** How lines are read. */
export interface LineSettings {
  readonly shell: ShellKind;
  /** Home folder of the user that commands run as. `undefined`: not known. */
  readonly home: string | undefined;
}

/** Characters of a line, commands in it, and shells in shells. What has more counts as unclear. */
const LONGEST_LINE = 64 * 1024;
const MOST_COMMANDS = 2000;
const DEEPEST = 12;

/**
 * Every program that a shell line starts, as far as it can be told without running it: in pipelines and lists, in
 * substitutions, here-documents and functions, behind `sudo`, `env`, `xargs`, `sh -c` and others of their kind.
 */
export function readLine(line: string, settings: LineSettings): ShellReading {
  const reader = new LineReader(settings);
  reader.line(line, 0);
  return reader.reading();
}

/** The same for a program that is started without a shell. */
export function readArgv(argv: readonly string[], settings: LineSettings): ShellReading {
  const reader = new LineReader(settings);
  reader.start({ words: argv.map(known), writes: [], moved: false }, undefined, 0);
  return reader.reading();
}

export class LineReader {
  readonly #invocations: Invocation[] = [];
  readonly #unclear: string[] = [];
  readonly settings: LineSettings;
  /** Whether a `cd` was seen. Loops and functions come back: what stands before it may run behind it. */
  #hasMoved = false;
  #shell: ShellKind;

  constructor(settings: LineSettings) {
    this.settings = settings;
    this.#shell = settings.shell;
  }

  reading(): ShellReading {
    const invocations = this.#hasMoved
      ? this.#invocations.map((invocation) => ({ ...invocation, moved: true }))
      : this.#invocations;
    return { invocations, unclear: this.#unclear };
  }

  doubt(why: string): void {
    if (this.#unclear.length < 20 && !this.#unclear.includes(why)) this.#unclear.push(why);
  }

  /** `shell`: the one that reads it. @default that of the line around it */
  line(line: string, depth: number, shell: ShellKind = this.#shell): void {
    const tooMuch = faultOf(line, depth);
    if (tooMuch !== undefined) {
      this.doubt(tooMuch);
      return;
    }
    const around = this.#shell;
    this.#shell = shell;
    try {
      this.#visit(parse(line), depth);
    } catch {
      this.doubt('it cannot be read');
    } finally {
      this.#shell = around;
    }
  }

  /** Takes note of a program, and of those that it starts in turn. */
  start(invocation: Invocation, input: string | undefined, depth: number): void {
    if (this.#invocations.length >= MOST_COMMANDS || depth > DEEPEST) {
      this.doubt(`it has more than ${MOST_COMMANDS} commands, or more than ${DEEPEST} in one another`);
      return;
    }
    this.#invocations.push(invocation);
    const name = invocation.words[0];
    if (name === undefined) return;
    if (MOVES.has(name.text ?? '')) this.#hasMoved = true;
    const why =
      name.text === undefined
        ? 'the name of a program is not known before it runs'
        : unwrap(this, invocation, input, depth + 1);
    if (why !== undefined) this.doubt(why);
  }

  #visit(node: SyntaxNode, depth: number): void {
    if (this.#unclear.length >= 20) return;
    const why = doubtOf(node, this.#shell);
    if (why !== undefined) this.doubt(why);
    if (node.type === 'Script' && (node as ParsedScript).errors !== undefined) {
      const [error] = (node as ParsedScript).errors ?? [];
      if (error !== undefined) this.doubt(`it is no whole command: ${error.message}`);
    }
    if (node.type === 'Command') this.#command(node, depth);
    else if (node.type === 'Redirected') this.#redirects(node.redirects);
    forEachChild(node, (child) => this.#visit(child, depth));
  }

  #command(command: Command, depth: number): void {
    if (hasJoinedSubstitution(command)) this.doubt('it has a <(…) in the middle of a word');
    const words: ShellWord[] = [];
    if (command.name !== undefined) words.push(this.#word(command.name));
    for (const arg of command.args) {
      words.push(arg.type === 'Word' ? this.#word(arg) : this.#assignment(arg));
    }
    const writes = writesOf(command.redirects, this.settings.home);
    const moved = false;
    // A redirection without a program makes the file all the same.
    if (words.length > 0 || writes.length > 0) this.start({ words, writes, moved }, inputOf(command), depth);
  }

  #redirects(redirects: readonly Redirection[]): void {
    const writes = writesOf(redirects, this.settings.home);
    if (writes.length > 0) this.start({ words: [], writes, moved: false }, undefined, 0);
  }

  #word(word: Word): ShellWord {
    return readWord(word, this.settings.home);
  }

  /** `NAME=value` as an argument, as of `export` and of `make`. */
  #assignment({ name, text, value, append }: Assignment): ShellWord {
    const start = `${name}${append ? '+' : ''}=`;
    const read = value.type === 'Word' ? this.#word(value) : undefined;
    return read?.text !== undefined && text.startsWith(start)
      ? known(start + read.text)
      : { text: undefined, prefix: start, count: 'any' };
  }
}

function faultOf(line: string, depth: number): string | undefined {
  if (line.length > LONGEST_LINE) return `it is longer than ${LONGEST_LINE} characters`;
  // Each of them is a script of its own to whoever reads it.
  if ((line.match(/[<>$]\(|<</g) ?? []).length > MOST_COMMANDS)
    return `it has more than ${MOST_COMMANDS} substitutions`;
  if (line.includes('\0')) return 'it has a NUL character';
  return depth > DEEPEST ? `it has shells in shells, more than ${DEEPEST} levels` : undefined;
}

const NO_FILE = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty']);

function writesOf(redirects: readonly Redirection[], home: string | undefined): ShellWord[] {
  const writes: ShellWord[] = [];
  for (const redirect of redirects) {
    if (redirect.type !== 'Redirect' || redirect.operator === '<' || redirect.operator === '<&') continue;
    if (redirect.target === undefined) continue;
    const target = readWord(redirect.target, home);
    // `2>&1` and `2>&-` write to what is open already; `>&name` makes a file.
    if (redirect.operator === '>&' && target.text !== undefined && /^(\d+-?|-)$/.test(target.text)) continue;
    if (target.text === undefined || !NO_FILE.has(target.text)) writes.push(target);
  }
  return writes;
}

/** What a here-document or here-string gives to the program, where it is known. */
function inputOf(command: Command): string | undefined {
  let input: string | undefined;
  for (const redirect of command.redirects) {
    // What is opened beside the standard input is not read by itself.
    const { descriptor } = redirect;
    if (descriptor !== undefined && !(descriptor.type === 'FileDescriptor' && descriptor.value === 0)) continue;
    if (redirect.type === 'HereDoc') {
      const isPlain = redirect.delimiter?.quoted === true || redirect.body.parts === undefined;
      const plain = redirect.body.parts?.every(({ type }) => type === 'Literal') ?? isPlain;
      const text = redirect.operator === '<<-' ? redirect.body.text.replace(/^\t+/gm, '') : redirect.body.text;
      input = plain && (redirect.delimiter?.quoted === true || !text.includes('\\')) ? text : undefined;
    } else if (redirect.type === 'HereString') {
      input = redirect.target === undefined ? undefined : readWord(redirect.target, undefined).text;
    } else if (redirect.operator === '<' || redirect.operator === '<>' || redirect.operator === '<&') input = undefined;
  }
  return input;
}

const MOVES = new Set(['cd', 'pushd', 'popd']);

/** Read as words beside each other, while a shell makes one word of them: `r<()m` is `rm` to Bash. */
function hasJoinedSubstitution({ prefix, name, args, redirects }: Command): boolean {
  const parts = [...prefix, ...(name === undefined ? [] : [name]), ...args, ...redirects];
  const substitutions = parts.filter((part) => part.type === 'Word' && /^[<>]\(/.test(part.text));
  return substitutions.some(({ pos, end }) => parts.some((part) => part.end === pos || part.pos === end));
}
