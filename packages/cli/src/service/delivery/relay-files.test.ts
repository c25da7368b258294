import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hub } from '@hermes-observer/core';
import { JSON_ENCODING, ObserverTracerProvider, SpanBridge, TraceRequests } from '@hermes-observer/otel';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeEach, expect, it } from 'vitest';
import type { RelayTarget } from '../options.js';
import { RelayFiles } from './relay-files.js';

const top = mkdtempSync(join(tmpdir(), 'relay-files-'));
afterAll(() => rmSync(top, { recursive: true }));
let folder = '';
let number = 0;
beforeEach(() => {
  folder = join(top, String(number++));
});

/** The spans of one turn, a request each, with content off. */
function requests(): Uint8Array[] {
  const memory = new InMemorySpanExporter();
  const tracerProvider = new ObserverTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] });
  const hub = new Hub();
  new SpanBridge({ tracerProvider, capture: 'none' }).attach(hub);
  const turn = { session_id: 's-1', turn_id: 't-1' };
  const request = { ...turn, api_request_id: 'r-1', model: 'm-1' };
  const call = { ...turn, api_request_id: 'r-1', tool_call_id: 'c-1', tool_name: 'read_file' };
  hub.emit('pre_llm_call', turn);
  hub.emit('pre_api_request', request);
  hub.emit('post_api_request', { ...request, finish_reason: 'tool_calls' });
  hub.emit('pre_tool_call', call);
  hub.emit('post_tool_call', { ...call, status: 'ok' });
  hub.emit('on_session_end', { ...turn, completed: true });
  const encoded = new TraceRequests(JSON_ENCODING, 1 << 20);
  return memory.getFinishedSpans().flatMap((span) => [...encoded.of([span])].map(({ body }) => Buffer.from(body)));
}

const TAKEN = { kind: 'taken', rejected: 0, message: '' };
const state = () => join(folder, 'state');
const target = (kind: 'atof' | 'atif', path = join(folder, kind)): RelayTarget => ({ kind, name: 'files', path });

it('after a restart in the middle of a turn ATOF says which calls a request asked for', async () => {
  const path = join(top, 'events.jsonl');
  const [chat, tool, turn] = requests() as [Uint8Array, Uint8Array, Uint8Array];
  for (const bodies of [
    [chat, tool],
    [tool, turn],
  ]) {
    // As after a crash: nobody closes the first one, and the last request comes again.
    const files = new RelayFiles(target('atof', path), state());
    for (const body of bodies) expect(await files.send(body)).toEqual(TAKEN);
  }
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  expect(lines).toHaveLength(6);
  expect(lines.filter((line) => line.includes('"category":"llm"')).join()).toContain('"id":"c-1"');
  expect(existsSync(join(state(), 'requests.json'))).toBe(false);
});

it('after a restart in the middle of a turn ATIF has all of it', async () => {
  const [chat, tool, turn] = requests() as [Uint8Array, Uint8Array, Uint8Array];
  for (const bodies of [
    [chat, tool],
    [tool, turn],
  ]) {
    const files = new RelayFiles(target('atif'), state());
    for (const body of bodies) expect(await files.send(body)).toEqual(TAKEN);
  }
  const [name = ''] = readdirSync(join(folder, 'atif'));
  const { steps } = JSON.parse(readFileSync(join(folder, 'atif', name), 'utf8'));
  expect(steps).toMatchObject([{ source: 'user' }, { source: 'agent', tool_calls: [{ tool_call_id: 'c-1' }] }]);
});

it('a place that takes nothing counts as away, and gets all once it takes something', async () => {
  writeFileSync(folder, 'a file');
  const files = new RelayFiles({ ...target('atif'), path: join(folder, 'below') }, join(top, `${number}-state`));
  const bodies = requests();
  expect(await files.send(bodies[0] as Uint8Array)).toMatchObject({ kind: 'unreachable' });
  rmSync(folder);
  for (const body of bodies) expect(await files.send(body)).toEqual(TAKEN);
  expect(readdirSync(join(folder, 'below'))).toHaveLength(1);
  await files.close();
});

it.each(['atof', 'atif'] as const)(
  'a request that is none is refused by %s, and keeps no others waiting',
  async (kind) => {
    mkdirSync(folder);
    const files = new RelayFiles(target(kind), state());
    expect(await files.send(Buffer.from('{"resourceSpans":[{'))).toMatchObject({ kind: 'refused' });
    for (const body of requests()) expect(await files.send(body)).toEqual(TAKEN);
  },
);

it('arguments nested as deep as a model likes keep no document from being written', async () => {
  const files = new RelayFiles(target('atif'), state());
  const deep = `{\\"a\\":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  for (const body of requests()) {
    const text = body
      .toString()
      .replace(
        '"attributes":[',
        `"attributes":[{"key":"gen_ai.tool.call.arguments","value":{"stringValue":"${deep}"}},`,
      );
    expect(await files.send(Buffer.from(text))).toEqual(TAKEN);
  }
  expect(readdirSync(join(folder, 'atif'))).toHaveLength(1);
});
