import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { nodesToRunOn } from '../nodes.mjs';

const ROUNDS = 15;
/** Of the processor's time of the same program without it. */
const MOST_RATIO = 1.25;

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
  const ratio = median(withIt) / median(without);
  console.log(
    `Node.js ${version}: ${ratio.toFixed(2)} × the ${median(without).toFixed(1)} ms of the processor without it`,
  );
  expect(ratio).toBeLessThan(MOST_RATIO);
});
