import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const sources = new URL('../../../', import.meta.url);
const ALIASES = {
  '@hermes-observer/core/segments': fileURLToPath(new URL('core/src/segments.ts', sources)),
  '@hermes-observer/core': fileURLToPath(new URL('core/src/index.ts', sources)),
};

/** One JavaScript file with a program that finds the exports of a source file in `module`. */
export async function makeProgram(source: URL, text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'program-'));
  const entry = 'virtual:program';
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: /^node:/,
    resolve: { alias: ALIASES },
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) =>
          id === entry ? `import * as module from ${JSON.stringify(fileURLToPath(source))};\n${text}` : null,
      },
    ],
  });
  const file = join(folder, 'program.mjs');
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  return file;
}

/** Runs it; `kill` is asked at each output whether it is to be killed. */
export function runProgram(
  program: string,
  args: readonly string[],
  kill: (stdout: string) => boolean = () => false,
): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: 'pipe' });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (data: Buffer) => {
      stdout += data.toString();
      if (kill(stdout)) child.kill('SIGKILL');
    });
    child.stderr.on('data', (data: Buffer) => {
      stderr += data.toString();
    });
    child.on('close', () => resolve({ stdout, stderr }));
  });
}
