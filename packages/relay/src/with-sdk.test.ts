import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createObserver } from '@hermes-observer/otel';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, expect, it } from 'vitest';
import { AtifExporter } from './atif/atif-exporter.js';
import { AtofExporter } from './atof/atof-exporter.js';
import { AtofSpanProcessor } from './atof/atof-span-processor.js';
import { turn } from './spans/hooks.test-support.js';

const folder = mkdtempSync(join(tmpdir(), 'relay-sdk-'));
afterAll(() => rmSync(folder, { recursive: true }));
const linesIn = (name: string) => readFileSync(join(folder, name), 'utf8').trim().split('\n');

it("spans of an SDK's provider, with its ids, make the same files as ours", async () => {
  const exported = new AtofExporter({ path: join(folder, 'exported.jsonl') });
  const trajectories = new AtifExporter({ folder: join(folder, 'trajectories') });
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [
      new AtofSpanProcessor({ path: join(folder, 'live.jsonl') }),
      new SimpleSpanProcessor(exported),
      new SimpleSpanProcessor(trajectories),
    ],
  });
  const observer = createObserver({ tracerProvider, capture: 'full' });
  const other = tracerProvider.getTracer('app').startSpan('GET /');
  turn((hook, payload) => observer.hub.emit(hook, payload as never));
  other.end();
  await observer.shutdown();
  await tracerProvider.shutdown();
  expect(linesIn('live.jsonl').sort()).toHaveLength(8);
  expect(linesIn('exported.jsonl')).toHaveLength(8);
  const [file = ''] = readdirSync(join(folder, 'trajectories'));
  const { steps } = JSON.parse(readFileSync(join(folder, 'trajectories', file), 'utf8'));
  expect(steps).toMatchObject([
    { source: 'user', message: 'Which files?' },
    { source: 'agent', tool_calls: [{ tool_call_id: 'c-1' }], observation: { results: [{ content: 'notes.txt' }] } },
    { source: 'agent', message: 'One.' },
  ]);
});
