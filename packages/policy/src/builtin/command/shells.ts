import { mayBeOption } from './option-grammar.js';
import type { LineReader } from './read-line.js';
import type { ShellWord } from './shell-word.js';

export const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'mksh', 'rbash']);

/** Options that change nothing in what is run; `o` and `O` have a value. */
const LETTERS = /^[-+][abefhiklmnprtuvxBCEHPTcsoOD]+$/;
const LONG = new Set(['--login', '--norc', '--noprofile', '--posix', '--noediting', '--restricted', '--verbose']);

/** A shell that is started: its `-c` line, its script, or what it reads from its input. */
export function readShell(
  reader: LineReader,
  words: readonly ShellWord[],
  input: string | undefined,
  depth: number,
): string | undefined {
  let isLine = false;
  let isInput = false;
  let i = 1;
  for (; i < words.length; i++) {
    const word = words[i] as ShellWord;
    const { text } = word;
    if (text === '-' || text === '--') {
      i++;
      break;
    }
    if (!mayBeOption(word) && !(text ?? word.prefix).startsWith('+')) break;
    if (text === undefined) return 'options of a shell are not known before it runs';
    if (LONG.has(text)) continue;
    if (!LETTERS.test(text)) return `a shell has the option ${text.slice(0, 20)}, which is not known`;
    isLine ||= text.startsWith('-') && text.includes('c');
    isInput ||= text.includes('s');
    for (const letter of text) if (letter === 'o' || letter === 'O') i++;
  }
  const operand = words[i];
  const line = isLine ? operand?.text : operand === undefined || isInput ? input : undefined;
  if (line !== undefined) {
    // `sh` may be any of them.
    reader.line(line, depth, /(^|\/)bash$/i.test(words[0]?.text ?? '') ? undefined : 'any');
    return undefined;
  }
  if (isLine) return 'a line for a shell is not known before it runs';
  if (operand === undefined || isInput) return 'a shell reads commands from its input';
  if (operand.text === undefined) return 'a script for a shell is not known before it runs';
  return /^\/(dev|proc)\//.test(operand.text) ? 'a shell reads commands from its input' : undefined;
}
