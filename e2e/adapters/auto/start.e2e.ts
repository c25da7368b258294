import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { nodesToRunOn } from '../nodes.mjs';

const ROUNDS = 15;
/** Of the processor's time, since the clock also counts what else the machine does. */
const MOST_MS = 6;

// No `node_modules` with a framework is above it.
const folder = mkdtempSync(join(tmpdir(), 'start-'));
const program = join(folder, 'program.mjs');
writeFileSync(program, 'const { user, system } = process.cpuUsage(); console.log(user + system);\n');
afterAll(() => rmSync(folder, { recursive: true }));
const auto = fileURLToPath(import.meta.resolve('@hermes-observer/auto'));

const median = (all: number[]) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)] as number;

it.each(await nodesToRunOn())('a program without a framework starts as it did, on Node.js %s', (version, node) => {
  const run = (...args: string[]) =>
    Number(execFileSync(node, [...args, program], { cwd: folder, encoding: 'utf8' })) / 1000;
  const without: number[] = [];
  const withIt: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    without.push(run());
    withIt.push(run('--import', auto));
  }
  const more = median(withIt) - median(without);
  console.log(`Node.js ${version}: ${more.toFixed(1)} ms more than ${median(without).toFixed(1)} ms`);
  expect(more).toBeLessThan(MOST_MS);
});
