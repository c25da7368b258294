import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../../jaeger/wait-for.js';
import { ServeCommand, TOKEN } from '../../kill/serve-command.mjs';
import { TOP } from '../../run-command.js';
import { observationsOf, tracesOf } from './langfuse-display.js';
import { LangfuseServer, PUBLIC_KEY, SECRET_KEY } from './langfuse-server.js';

const RECORDING = readFileSync(join(TOP, 'conformance/recordings/0.22.2/n-delegate-nested-sync.ndjson'));

let folder: string;
let langfuse: LangfuseServer;
let serve: ServeCommand;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lf-'));
  langfuse = await LangfuseServer.start();
  const exporters = [
    { name: 'plain', file: join(folder, 'plain.jsonl') },
    { name: 'langfuse', kind: 'langfuse', url: langfuse.url, tags: ['nightly'], compression: 'gzip' },
    { name: 'protobuf', kind: 'langfuse', url: langfuse.url, tags: ['nightly'], protocol: 'http/protobuf' },
    { name: 'newer', file: join(folder, 'newer.jsonl'), profiles: ['genai/0.1.0', 'openinference'] },
  ];
  const env = { LANGFUSE_PUBLIC_KEY: PUBLIC_KEY, LANGFUSE_SECRET_KEY: SECRET_KEY, LANGFUSE_RELEASE: 'r-9' };
  serve = await new ServeCommand(folder, { config: { capture: 'redacted', exporters }, env }).start();
  const response = await fetch(`http://127.0.0.1:${serve.port}/v1/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-ndjson' },
    body: RECORDING,
  });
  expect(response.ok).toBe(true);
}, 60_000);

afterAll(async () => {
  await serve.stop();
  langfuse.stop();
  rmSync(folder, { recursive: true, force: true });
});

const linesOf = (name: string) =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => (JSON.parse(line) as { resourceSpans: unknown[] }).resourceSpans);

const attributeNames = (name: string) =>
  new Set([...JSON.stringify(linesOf(name)).matchAll(/"key":"([^"]+)"/g)].map(([, key]) => key));

it('one service gives each backend the names it knows', async () => {
  const spans = await waitFor('Langfuse has not got all, twice', async () => {
    const all = observationsOf(langfuse.resourceSpans);
    const plain = observationsOf(linesOf('plain.jsonl')).length;
    return plain > 10 && all.length >= 2 * plain && observationsOf(linesOf('newer.jsonl')).length === plain
      ? all
      : undefined;
  });
  const traces = [...tracesOf(spans).values()];
  expect(traces[0]).toMatchObject({ tags: ['nightly'], releases: new Set(['r-9']), name: 'hermes' });
  expect(langfuse.refused).toEqual([]);
  expect(new Set(langfuse.taken.map(({ contentType }) => contentType.split(';')[0]))).toEqual(
    new Set(['application/json', 'application/x-protobuf']),
  );
  expect(
    [...attributeNames('plain.jsonl')].filter((name) => /langfuse|openinference|cache_write/.test(String(name))),
  ).toEqual([]);
  const newer = attributeNames('newer.jsonl');
  expect(newer).toContain('gen_ai.usage.cache_write.input_tokens');
  expect(newer).not.toContain('gen_ai.usage.cache_creation.input_tokens');
  expect(newer).toContain('openinference.span.kind');
  expect([...newer].filter((name) => name?.startsWith('langfuse'))).toEqual([]);
});

it('counts what profiles did', async () => {
  const metrics = await (await serve.get('/metrics')).text();
  expect(metrics).toMatch(/left_out_attributes(_total)?\{profiles="langfuse"\} 0/);
  expect(metrics).toMatch(/unmapped_spans(_total)? 0/);
});
