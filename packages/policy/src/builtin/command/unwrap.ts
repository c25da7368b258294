import { isTelling } from './doubtful-syntax.js';
import { codeIn } from './interpreters.js';
import { mayBeOption, readOptions } from './option-grammar.js';
import type { LineReader } from './read-line.js';
import { readBuiltin } from './shell-builtins.js';
import { anyWords, type Invocation, type ShellWord } from './shell-word.js';
import { readShell, SHELLS } from './shells.js';
import { LOADER, OPAQUE, STARTS_OTHERS, WRAPPERS } from './wrappers.js';

/** Name of a program without its folders. */
export const baseName = (program: string): string => program.slice(program.lastIndexOf('/') + 1);

/** Takes note of what a program starts in turn, or of why that cannot be told. */
export function unwrap(
  reader: LineReader,
  invocation: Invocation,
  input: string | undefined,
  depth: number,
): string | undefined {
  const { words } = invocation;
  // A disk may not tell capitals apart.
  const name = baseName(words[0]?.text ?? '').toLowerCase();
  const args = words.slice(1);
  if (OPAQUE.has(name) || LOADER.test(name)) return `\`${name}\` starts what is not read here`;
  if (readBuiltin(reader, name, args, depth)) return undefined;
  if (SHELLS.has(name)) return readShell(reader, words, input, depth);
  if (name === 'find') return readFind(reader, invocation, depth);
  const grammar = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (grammar !== undefined) return readWrapper(reader, name, invocation, input, depth);
  const starts = Object.hasOwn(STARTS_OTHERS, name) ? STARTS_OTHERS[name] : undefined;
  if (starts !== undefined && args.some((arg) => (arg.text === undefined ? mayBeOption(arg) : starts.test(arg.text)))) {
    return `\`${name}\` may start other programs by its options`;
  }
  return codeIn(name, args);
}

function readWrapper(
  reader: LineReader,
  name: string,
  { words, moved }: Invocation,
  input: string | undefined,
  depth: number,
): string | undefined {
  const read = readOptions(words, WRAPPERS[name] ?? {});
  if (typeof read === 'string') return `\`${name}\`: ${read}`;
  const { command, options, assigned } = read;
  for (const variable of assigned) {
    if (isTelling(variable)) reader.doubt(`it sets ${variable}, which changes what programs do`);
  }
  const inner = words.slice(command);
  if (inner.length === 0) {
    if (
      name === 'sudo' &&
      (options.has('-i') || options.has('-s') || options.has('--login') || options.has('--shell'))
    ) {
      return 'a shell reads commands from its input';
    }
    return undefined;
  }
  if (name === 'command' && (options.has('-v') || options.has('-V'))) return undefined;
  if (inner[0]?.text?.startsWith('-') === true) return `\`${name}\`: it has options behind its operands`;
  if (inner[0]?.count !== 'one') return 'the name of a program is not known before it runs';
  const isElsewhere = ['-C', '--chdir', '-D', '-R', '--chroot'].some(
    (option) => name !== 'xargs' && options.has(option),
  );
  reader.start(
    { words: name === 'xargs' ? withInput(inner, options) : inner, writes: [], moved: moved || isElsewhere },
    name === 'xargs' ? undefined : input,
    depth,
  );
  return undefined;
}

/** What `xargs` runs: words of its input come last, or where its mark stands. */
function withInput(words: readonly ShellWord[], options: ReadonlyMap<string, ShellWord | undefined>): ShellWord[] {
  const option = ['-I', '-i', '--replace'].find((name) => options.has(name));
  if (option === undefined) return [...words, anyWords];
  const mark = options.get(option)?.text;
  return words.map((word) => replaced(word, mark === undefined || mark === '' ? '{}' : mark));
}

/** A word in which something else will stand in the place of a mark. */
function replaced(word: ShellWord, mark: string): ShellWord {
  const at = word.prefix.indexOf(mark);
  return at < 0 ? word : { text: undefined, prefix: word.prefix.slice(0, at), count: word.count };
}

const FIND_RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir']);

function readFind(reader: LineReader, { words, moved }: Invocation, depth: number): string | undefined {
  for (let i = 1; i < words.length; i++) {
    const word = words[i] as ShellWord;
    if (word.text === undefined && mayBeOption(word)) return 'what `find` does is not known before it runs';
    if (!FIND_RUNS.has(word.text ?? '')) continue;
    let end = i + 1;
    while (
      end < words.length &&
      words[end]?.text !== ';' &&
      !(words[end]?.text === '+' && words[end - 1]?.text === '{}')
    ) {
      end++;
    }
    const command = words.slice(i + 1, end).map((part) => replaced(part, '{}'));
    reader.start({ words: command, writes: [], moved: moved || word.text?.endsWith('dir') === true }, undefined, depth);
    i = end;
  }
  return undefined;
}
