import { mayBeOption } from '../command/option-grammar.js';
import type { Invocation } from '../command/shell-word.js';

/**
 * Programs that only read, with the arguments by which they write or start others. Whatever is not here counts as writing.
 */
const PROGRAMS: Readonly<Record<string, RegExp | undefined>> = {
  cat: undefined,
  head: undefined,
  tail: undefined,
  wc: undefined,
  ls: undefined,
  pwd: undefined,
  echo: undefined,
  printf: /^-v/,
  true: undefined,
  false: undefined,
  ':': undefined,
  test: undefined,
  '[': undefined,
  grep: undefined,
  egrep: undefined,
  fgrep: undefined,
  rg: /^--(pre|hostname-bin|search-zip)|^-\w*z/,
  cut: undefined,
  tr: undefined,
  nl: undefined,
  tac: undefined,
  rev: undefined,
  fold: undefined,
  column: undefined,
  paste: undefined,
  join: undefined,
  comm: undefined,
  cmp: undefined,
  diff: /^--(output|to-file)/,
  sort: /^-\w*[oT]|^--(o|comp|t)/,
  seq: undefined,
  stat: undefined,
  file: /^-\w*C|^--c/,
  du: undefined,
  df: undefined,
  basename: undefined,
  dirname: undefined,
  realpath: undefined,
  readlink: undefined,
  which: undefined,
  type: undefined,
  whoami: undefined,
  id: undefined,
  groups: undefined,
  uname: undefined,
  uptime: undefined,
  nproc: undefined,
  free: undefined,
  ps: undefined,
  date: /^-\w*s|^--s|^\d/,
  printenv: undefined,
  md5sum: undefined,
  sha1sum: undefined,
  sha256sum: undefined,
  sha512sum: undefined,
  cksum: undefined,
  od: undefined,
  hexdump: undefined,
  strings: undefined,
  base64: /^-\w*o|^--o/,
  jq: undefined,
  cd: undefined,
  sleep: undefined,
  find: /^-(delete|fprint0?|fprintf|fls)$/,
};

/** Wrappers that do nothing but start a program, which is judged by itself. */
const WRAPPERS = new Set('env timeout nice command builtin xargs'.split(' '));
const SHELLS = new Set(['sh', 'bash', 'dash']);

const GIT_READS = new Set(
  'status log diff show blame rev-parse ls-files ls-tree cat-file describe grep shortlog rev-list name-rev merge-base'.split(
    ' ',
  ),
);
const GIT_WRITES = /^--(output|ext|textconv|open|exec|git-dir|work-tree|upload)|^-\w*O|^-c/;

/** Whether a program only reads, for sure. */
export function onlyReads({ words, writes }: Invocation): boolean {
  if (writes.length > 0) return false;
  const [program, ...args] = words;
  const name = program?.text?.replace(/^\/(usr\/)?bin\//, '');
  if (name === undefined) return words.length === 0;
  if (WRAPPERS.has(name)) return true;
  if (SHELLS.has(name)) return runsLine(args);
  if (name === 'git') return gitReads(args);
  if (!Object.hasOwn(PROGRAMS, name)) return false;
  const writing = PROGRAMS[name];
  return (
    writing === undefined ||
    args.every((arg) => (arg.text === undefined ? !mayBeOption(arg) && arg.count !== 'any' : !writing.test(arg.text)))
  );
}

/** Its line is judged by itself; a script is not. */
function runsLine(args: Invocation['words']): boolean {
  for (const { text } of args) {
    if (text === undefined || !/^[-+]/.test(text)) return false;
    if (/^-\w*c/.test(text)) return true;
  }
  return false;
}

function gitReads(args: Invocation['words']): boolean {
  const texts = args.map(({ text }) => text);
  const at = texts.findIndex((text, i) => !(text === '--no-pager' || text === '-C' || texts[i - 1] === '-C'));
  const command = texts[at];
  if (command === undefined || !GIT_READS.has(command)) return false;
  return args.every(
    (arg, i) =>
      i < at || (arg.text === undefined ? !mayBeOption(arg) && arg.count !== 'any' : !GIT_WRITES.test(arg.text)),
  );
}
