import { isTelling } from './doubtful-syntax.js';
import type { LineReader } from './read-line.js';
import type { ShellWord } from './shell-word.js';

const NAMES_VARIABLES = new Set(
  'declare typeset local export readonly read mapfile readarray getopts unset printf let test [ wait'.split(' '),
);

/** Builtins of a shell that run a text, or set variables. True: there is nothing else to it. */
export function readBuiltin(reader: LineReader, name: string, args: readonly ShellWord[], depth: number): boolean {
  if (name === 'eval') {
    if (args.every(({ text }) => text !== undefined)) reader.line(args.map(({ text }) => text).join(' '), depth);
    else reader.doubt('`eval` runs what is not known before');
    return true;
  }
  if (name === 'trap') {
    const first = args[0]?.text === '--' ? args[1] : args[0];
    if (first === undefined || first.text === '' || first.text === '-' || /^-[lp]$/.test(first.text ?? '')) return true;
    if (first.text === undefined) reader.doubt('`trap` runs what is not known before');
    else reader.line(first.text, depth);
    return true;
  }
  if (!NAMES_VARIABLES.has(name)) return false;
  const why = variableDoubt(name, args);
  if (why !== undefined) reader.doubt(why);
  return false;
}

/** Where arguments name variables, their text can name one that tells programs what to do, or an index that is run. */
function variableDoubt(name: string, args: readonly ShellWord[]): string | undefined {
  const isPrintf = name === 'printf';
  const isTest = name === 'test' || name === '[';
  const why = `\`${name}\` reads a name of a variable that can run commands`;
  if ((isPrintf || isTest) && !args.some(({ text, count }) => text === '-v' || (count !== 'one' && !isTest))) {
    return undefined;
  }
  for (const { text, prefix } of args) {
    if (text === undefined) {
      if (isPrintf || isTest || !/^\w+\+?=/.test(prefix)) return why;
    } else if (/\[[^\]]*[$`(]/.test(text) || (name === 'let' && !/^[\d\s+\-*/%]*$/.test(text))) return why;
    const variable = /^\w+/.exec(prefix)?.[0];
    if (variable !== undefined && isTelling(variable) && !isTest)
      return `it sets ${variable}, which changes what programs do`;
    if (/^(declare|typeset|local)$/.test(name) && /^-\w*[in]/.test(prefix)) return why;
  }
  return undefined;
}
