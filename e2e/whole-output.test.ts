import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runNode, TOP } from './run-command.js';

const SCRIPT = join(TOP, 'packages/cli/bin/hermes-observer.js');
const RECORDING = join(TOP, 'packages/cli/demo/c-parallel-tools.ndjson');
const OLD = 'what was there before\n';

let folder: string;
let out: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whole-output-'));
  out = join(folder, 'out');
  writeFileSync(out, OLD);
});
afterEach(() => rmSync(folder, { recursive: true }));

it('an output stays as it was until the new one is complete, also when the run is killed', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const child = spawn(process.execPath, [SCRIPT, 'replay', pipe, '--otlp-file', out], { stdio: 'ignore' });
  const input = await open(pipe, 'w');
  await input.write(readFileSync(RECORDING));
  const pending = `${out}.${child.pid}.tmp`;
  while (!existsSync(pending)) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(readFileSync(out, 'utf8')).toBe(OLD);
  child.kill('SIGKILL');
  await once(child, 'close');
  await input.close();
  expect(readFileSync(out, 'utf8')).toBe(OLD);
  expect(readdirSync(folder).sort()).toEqual(['out', `out.${child.pid}.tmp`, 'pipe']);
});

it('a run that ends leaves the output alone', async () => {
  expect((await runNode([SCRIPT, 'replay', RECORDING, '--otlp-file', out])).code).toBe(0);
  expect(readdirSync(folder)).toEqual(['out']);
  expect(readFileSync(out, 'utf8')).toMatch(/^\{"resourceSpans":/);
});
