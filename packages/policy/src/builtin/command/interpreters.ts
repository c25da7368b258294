import { mayBeOption } from './option-grammar.js';
import type { ShellWord } from './shell-word.js';

/** Options that bring code along, by program. */
const CODE: readonly (readonly [name: RegExp, option: RegExp])[] = [
  [/^(python|pypy)[\d.]*$/, /^-[A-Za-z]*c/],
  [/^perl[\d.]*$/, /^-[A-Za-z0-9]*[eEMmdx]/],
  [/^ruby[\d.]*$/, /^-[A-Za-z]*[er]/],
  [/^(node|nodejs|bun|tsx|ts-node)$/, /^(-\w*[epr]|--(eval|print|require|import|loader|exp))/],
  [/^deno$/, /^eval$/],
  [/^php[\d.]*$/, /^-\w*[rBREd]/],
  [/^lua(jit)?[\d.]*$/, /^-\w*[el]/],
  [/^(R|Rscript|julia|swift|ghc|scala|groovy|elixir)$/, /^(-\w*[eE]|--e)/],
];

const HARMLESS = /^(-[vVh]|--version|--help)$/;

/** Why a program may run code that is not read here: in an argument, or on its input. */
export function codeIn(name: string, args: readonly ShellWord[]): string | undefined {
  if (/^[gmn]?awk$/.test(name)) return awkCode(args);
  if (name === 'sed' || name === 'gsed') return sedCode(args);
  const option = CODE.find(([program]) => program.test(name))?.[1];
  if (option === undefined) return undefined;
  const why = `${name} runs code that is not read here`;
  let hasFile = false;
  for (const arg of args) {
    if (arg.text === undefined ? mayBeOption(arg) : option.test(arg.text)) return why;
    if (arg.text === undefined || !arg.text.startsWith('-') || HARMLESS.test(arg.text)) hasFile = true;
    // What stands behind the file is for the file.
    if (!mayBeOption(arg)) break;
  }
  return hasFile ? undefined : why;
}

function awkCode(args: readonly ShellWord[]): string | undefined {
  const isClear = args.every(
    ({ text }) => text !== undefined && !/system|getline|\||@|^-[fEile]|^--(?!version)/.test(text),
  );
  return isClear && args.length > 0 ? undefined : 'awk runs code that is not read here';
}

/** One command of sed that neither runs nor writes: `5p`, `/a/,$d`, `s/a/b/g`. */
const ADDRESS = '(?:\\d+(?:~\\d+)?|\\$|/(?:\\\\.|[^/\\\\\\n])*/I?)';
const SED_COMMAND = new RegExp(
  `\\s*(?:${ADDRESS}(?:,[+~]?${ADDRESS})?)?\\s*!?\\s*(?:[pdqDPNnGgHhx=]|s([/|,#:@!_])(?:\\\\.|(?!\\1)[^\\\\\\n])*\\1(?:\\\\.|(?!\\1)[^\\\\\\n])*\\1[gpIiM0-9]*)\\s*(?:[;\\n]|$)`,
  'y',
);

function sedCode(args: readonly ShellWord[]): string | undefined {
  const why = 'sed may run commands in its script';
  let hasScript = false;
  let next: 'script' | undefined;
  for (const arg of args) {
    const { text } = arg;
    if (next === 'script' || (!mayBeOption(arg) && !hasScript)) {
      if (text === undefined || !isPlainSed(text)) return why;
      hasScript = true;
      next = undefined;
      continue;
    }
    if (text === undefined) {
      if (mayBeOption(arg)) return why;
    } else if (text.startsWith('--expression=')) {
      if (!isPlainSed(text.slice('--expression='.length))) return why;
      hasScript = true;
    } else if (/^-[nErsuz]*e$/.test(text) || text === '--expression') next = 'script';
    else if (
      text.startsWith('-') &&
      !/^-[nErsuz]*(i[^ef]*)?$|^--(quiet|silent|regexp-extended|in-place(=.*)?|sandbox)$/.test(text)
    ) {
      return why;
    }
  }
  return hasScript ? undefined : why;
}

function isPlainSed(script: string): boolean {
  SED_COMMAND.lastIndex = 0;
  while (SED_COMMAND.lastIndex < script.length) {
    const at = SED_COMMAND.lastIndex;
    if (!SED_COMMAND.test(script) || SED_COMMAND.lastIndex === at) return false;
  }
  return script !== '';
}
