import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readLine } from './read-line.js';
import type { ShellReading } from './shell-word.js';

/**
 * Real shells run random lines in a folder with harmless programs, one of which writes down what it was given. Whatever it
 * wrote down, the guard has to have seen, or to have said that it cannot tell.
 */
const root = mkdtempSync(join(tmpdir(), 'guard-fuzz-'));
const bin = join(root, 'bin');
const work = join(root, 'work');
const log = join(root, 'log');
mkdirSync(bin);
mkdirSync(work);
// One write for each start: several may run at once.
writeFileSync(join(bin, 'danger'), `#!/bin/sh\nprintf '%s\\0' "$@" that-was-it >> ${log}\n`);
chmodSync(join(bin, 'danger'), 0o755);
for (const tool of ['env', 'xargs', 'nice', 'nohup', 'timeout', 'find', 'sh', 'bash', 'cat', 'true']) {
  symlinkSync(
    spawnSync('sh', ['-c', `command -v ${tool}`])
      .stdout.toString()
      .trim()
      .replace(/^true$/, '/bin/true'),
    join(bin, tool),
  );
}
afterAll(() => rmSync(root, { recursive: true, force: true }));

const PIECES = [
  ...[
    'danger',
    'danger',
    'danger',
    'danger -r x',
    'danger a',
    'echo',
    'echo a',
    'true',
    'env',
    'xargs',
    'nice',
    'nohup',
    'timeout 1',
  ],
  ...[
    'sh -c',
    'bash -c',
    'eval',
    'command',
    'exec',
    'find . -exec',
    '\\;',
    '{}',
    'trap',
    'EXIT',
    'cat',
    '-n',
    '--',
    '-u X',
    '-I{}',
  ],
  ...[
    ' ',
    ' ',
    ' ',
    ';',
    '&&',
    '||',
    '|',
    '&',
    '\n',
    '(',
    ')',
    '{ ',
    '; }',
    '!',
    '$(',
    ')',
    '`',
    '"',
    "'",
    '\\',
    "$'",
    '$"',
  ],
  ...[
    '<<EOF\n',
    'EOF\n',
    "<<'EOF'\n",
    '<<<',
    '>o',
    '<o',
    '2>&1',
    '<(',
    '#',
    '$X',
    '${X:-',
    '}',
    '*',
    '~',
    '{a,b}',
    '{danger,a}',
  ],
  ...[
    'X=1',
    'X=danger',
    'if',
    'then',
    'fi',
    'for i in a',
    'do',
    'done',
    'case a in a)',
    'esac',
    ';;',
    'f()',
    'function f',
    'while',
    '$((',
    '))',
  ],
  ...[
    '\t',
    '\r',
    '\u00a0',
    '\\\n',
    '"$X"',
    '$X',
    'é',
    '-',
    '=',
    '[[',
    ']]',
    '((',
    '@(',
    '&>o',
    '|&',
    '>&o',
    '\\x64',
    '\\144anger',
  ],
];

/** A few whole shapes with holes, so that most lines do run something. */
const TEMPLATES = [
  'danger %',
  '% danger %',
  'sh -c "danger %"',
  "bash -c 'danger %'",
  'echo "$(danger %)"',
  'echo `danger %`',
  'cat <<EOF\n% $(danger %)\nEOF',
  'if true; then danger %; fi %',
  "eval 'danger %' %",
  'echo a | xargs danger %',
  "echo $'%'; danger %; echo '%'",
  'env % danger %',
  'find . -maxdepth 0 -exec danger % {} \\;',
  'f() { danger %; }; f %',
  'for i in 1; do danger %; done',
  "bash <<'EOF'\ndanger %\nEOF\n%",
];

const junk = fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }).map((parts) => parts.join(''));
const wild = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 14 }).map((parts) => parts.join(''));
const shaped = fc
  .tuple(fc.constantFrom(...TEMPLATES), fc.array(junk, { minLength: 4, maxLength: 4 }))
  .map(([template, holes]) => template.replace(/%/g, () => holes.pop() ?? ''));
const line = fc
  .oneof(wild, shaped, shaped)
  .filter((text) => !text.includes('\0') && !/[&|]\s*f\b|f\(\).*f\(\)/.test(text));

/** What `danger` was started with, each time. */
function runs(shell: string, command: string): string[][] {
  rmSync(log, { force: true });
  spawnSync(shell, ['-c', command], {
    cwd: work,
    env: { PATH: bin, HOME: work },
    input: '',
    timeout: 2000,
    killSignal: 'SIGKILL',
  });
  let text = '';
  try {
    text = readFileSync(log, 'utf8');
  } catch {
    return [];
  }
  const found: string[][] = [];
  let words: string[] = [];
  for (const word of text.split('\0').slice(0, -1)) {
    if (word !== 'that-was-it') words.push(word);
    else {
      found.push(words);
      words = [];
    }
  }
  return found;
}

function isSeen({ invocations }: ShellReading, args: readonly string[]): boolean {
  return invocations.some(({ words }) => {
    if (words[0]?.text?.endsWith('danger') !== true) return false;
    // A word that is not known may be any number of words.
    const unknown = words.findIndex(({ text }) => text === undefined);
    const known = words.slice(1, unknown < 0 ? undefined : unknown).map(({ text }) => text);
    return JSON.stringify(known) === JSON.stringify(unknown < 0 ? args : args.slice(0, known.length));
  });
}

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);
const numRuns = Number(process.env.FUZZ_RUNS ?? 200);

describe.each([
  ['bash', 'bash'],
  ['sh', 'any'],
  ['bash', 'any'],
] as const)('what %s runs, a guard for %s has seen', (shell, kind) => {
  it(`in ${numRuns} random lines`, () => {
    let ran = 0;
    let clear = 0;
    fc.assert(
      fc.property(line, (command) => {
        const started = runs(shell, command);
        ran += started.length;
        const reading = readLine(command, { shell: kind, home: work });
        if (reading.unclear.length > 0) return;
        clear += started.length;
        if (started.every((args) => isSeen(reading, args))) return;
        // What a line before it left behind in the background may have written late.
        spawnSync('sleep', ['0.2']);
        const missed = runs(shell, command).find((args) => !isSeen(reading, args));
        if (missed !== undefined) throw new Error(`${JSON.stringify(command)} ran danger ${JSON.stringify(missed)}`);
      }),
      { numRuns, seed },
    );
    // Else it would show nothing.
    expect(ran).toBeGreaterThan(numRuns / 20);
    expect(clear).toBeGreaterThan(numRuns / 50);
  }, 300_000);
});
