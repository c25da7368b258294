import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const folder = new URL('.', import.meta.url);
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !/\.(test|test-support|d)\.ts$/.test(path),
);

describe('what the package loads of OpenTelemetry', () => {
  test('is nothing that a source imports, types apart', () => {
    const faults = sources.filter((path) => {
      const text = readFileSync(new URL(path, folder), 'utf8');
      return /^(?:import|export)\s+(?!type\s)[^;'"]*?from\s+'@opentelemetry\//m.test(text);
    });
    expect(sources.length).toBeGreaterThan(100);
    expect(faults).toEqual([]);
  });

  test('is nothing when it is imported and an observer is made', () => {
    const program = `
      const { createObserver } = await import('@hermes-observer/otel');
      createObserver({ exporters: [] });
      const { createRequire } = await import('node:module');
      const loaded = Object.keys(createRequire(import.meta.url).cache);
      process.stdout.write(loaded.filter((path) => path.includes('@opentelemetry')).join());`;
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
    expect(said.toString()).toBe('');
  });
});
