import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Emit, request, spansOf, TURN, tool, turn } from '../spans/hooks.test-support.js';
import { factsOf } from '../spans/span-facts.js';
import { AtofExporter } from './atof-exporter.js';
import type { AtofEvent, ScopeEvent } from './event.js';

const folder = mkdtempSync(join(tmpdir(), 'atof-'));
afterAll(() => rmSync(folder, { recursive: true }));
let path = '';
let number = 0;
beforeEach(() => {
  path = join(folder, `${number++}.jsonl`);
});

const eventsIn = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AtofEvent);

async function write(emitAll: (emit: Emit) => void, capture: 'none' | 'full' = 'none') {
  const exporter = new AtofExporter({ path });
  exporter.export(spansOf(emitAll, { capture }), ({ code }) => expect(code).toBe(0));
  await exporter.shutdown();
  return eventsIn(path);
}

const ends = (events: readonly AtofEvent[]) =>
  events.filter((event): event is ScopeEvent => event.kind === 'scope' && event.scope_category === 'end');

/** Ids of the calls that an answer asks for. */
function askedBy({ data }: AtofEvent): string[] {
  const { choices = [] } = (data ?? {}) as { choices?: { message: { tool_calls?: { id: string }[] } }[] };
  return choices.flatMap(({ message }) => (message.tool_calls ?? []).map(({ id }) => id));
}

describe('AtofExporter', () => {
  it('a turn is a root, requests and calls stand below it, and the scheme of payloads is said', async () => {
    const events = await write(turn, 'full');
    const root = events.find(({ category }) => category === 'agent');
    expect(root).toMatchObject({ name: 'hermes', parent_uuid: null, data: { input: 'Which files?' } });
    expect(events.filter((event) => event !== root && event.uuid !== root?.uuid).map((e) => e.parent_uuid)).toEqual(
      Array(6).fill(root?.uuid),
    );
    const [chat] = ends(events).filter(({ category }) => category === 'llm');
    expect(chat).toMatchObject({
      name: 'openai.chat_completions',
      category_profile: { model_name: 'm-1' },
      data_schema: { name: 'openai/chat-completions', version: '1' },
      metadata: { 'otel.status_code': 'OK', 'gen_ai.usage.input_tokens': 10, session_id: 's-1' },
    });
    const call = ends(events).find(({ category }) => category === 'tool');
    expect(call).toMatchObject({ name: 'list_files', category_profile: { tool_call_id: 'c-1' }, data: 'notes.txt' });
  });

  it('with content off a request is written once its calls are known, and says them without arguments', async () => {
    const spans = spansOf(turn).map(factsOf);
    const exporter = new AtofExporter({ path });
    const seen: string[][] = [];
    for (const span of spans) {
      exporter.take([span]);
      seen.push(ends(eventsIn(path)).map(({ name }) => name));
    }
    expect(seen).toEqual([
      [],
      ['list_files'],
      ['list_files', 'openai.chat_completions'],
      ['list_files', 'openai.chat_completions', 'openai.chat_completions', 'hermes'],
    ]);
    const chats = ends(eventsIn(path)).filter(({ category }) => category === 'llm');
    expect(chats.map(askedBy)).toEqual([['c-1'], []]);
    expect(JSON.stringify(chats)).not.toContain('notes');
    // An answer that says nothing is refused by readers.
    expect(chats[1]?.data).toBeNull();
    await exporter.shutdown();
  });

  it('what is held back outlives a restart with a state file, and is written by shutdown without one', async () => {
    const spans = spansOf(turn).map(factsOf);
    const stateFile = join(folder, `${number}.state`);
    const first = new AtofExporter({ path, stateFile });
    first.take(spans.slice(0, 2));
    await first.shutdown();
    expect(ends(eventsIn(path)).map(({ name }) => name)).toEqual(['list_files']);
    const second = new AtofExporter({ path, stateFile });
    second.take(spans.slice(2));
    await second.shutdown();
    expect(
      ends(eventsIn(path))
        .filter(({ category }) => category === 'llm')
        .map(askedBy),
    ).toEqual([['c-1'], []]);

    const other = `${path}.other`;
    const alone = new AtofExporter({ path: other });
    alone.take(spans.slice(0, 2));
    await alone.shutdown();
    expect(
      ends(eventsIn(other))
        .filter(({ category }) => category === 'llm')
        .map(askedBy),
    ).toEqual([['c-1']]);
  });

  it('the id of a call stands in the profile only where the newest answer asked for it', async () => {
    const events = await write((emit) => {
      emit('pre_llm_call', { ...TURN, user_message: 'Hello' });
      request(emit, 'r-1', [['c-1', 'asked']]);
      const auxiliary = { ...TURN, api_request_id: 'a-1', aux_task: 'vision', model: 'm-2' };
      tool(emit, 'c-1', 'asked');
      tool(emit, 'c-9', 'unasked');
      request(emit, 'r-2', [['c-2', 'passed']]);
      tool(emit, 'c-2', 'passed', {}, () => {
        emit('pre_auxiliary_call', auxiliary);
        emit('post_auxiliary_call', { ...auxiliary, assistant_message: { content: 'A square.' } });
      });
      emit('on_session_end', { ...TURN, completed: true });
    }, 'full');
    const calls = ends(events).filter(({ category }) => category === 'tool');
    expect(
      calls.map(({ name, category_profile: profile, metadata }) => [name, profile, metadata?.['gen_ai.tool.call.id']]),
    ).toEqual([
      ['asked', { tool_call_id: 'c-1' }, 'c-1'],
      ['unasked', null, 'c-9'],
      ['passed', null, 'c-2'],
    ]);
  });

  it('what the format has no word for is in metadata: blocked calls, waits as marks, failed attempts', async () => {
    const events = await write((emit) => {
      emit('pre_llm_call', { ...TURN, user_message: 'Hello' });
      const ids = { ...TURN, api_request_id: 'r-1', model: 'm-1', provider: 'openai' };
      emit('pre_api_request', ids);
      emit('api_request_error', { ...ids, error: { type: 'RateLimitError' }, status_code: 429, retryable: true });
      request(emit, 'r-1', [['c-1', 'rm']]);
      tool(emit, 'c-1', 'rm', { status: 'blocked', error_type: 'approval_denied', result: 'no' }, () => {
        const approval = { ...TURN, tool_call_id: 'c-1', tool_name: 'rm', surface: 'cli', pattern_key: 'delete' };
        emit('pre_approval_request', approval);
        emit('post_approval_response', { ...approval, choice: 'deny' });
      });
      emit('on_session_end', { ...TURN, interrupted: true });
    });
    const call = ends(events).find(({ category }) => category === 'tool');
    expect(call?.metadata).toMatchObject({
      'hermes.tool.status': 'blocked',
      'hermes.tool.blocked_by': 'approval_denied',
    });
    expect(call?.metadata).not.toHaveProperty('otel.status_code');
    const marks = events.filter(({ kind }) => kind === 'mark');
    expect(marks.map(({ name, parent_uuid: parent, data }) => [name, parent, data])).toEqual([
      ['hermes.approval.request', call?.uuid, null],
      ['hermes.approval.response', call?.uuid, null],
      ['hermes.api.attempt_failed', events.find(({ category }) => category === 'llm')?.uuid, null],
    ]);
    expect(marks[1]?.metadata).toMatchObject({ 'hermes.approval.choice': 'deny', duration_ms: 1000 });
    const root = ends(events).find(({ category }) => category === 'agent');
    expect(root).toMatchObject({ data: { outcome: 'interrupted' } });
    expect(root?.metadata).not.toHaveProperty('otel.status_code');
  });

  it('a line that was cut short goes when the file is opened again, and none is written twice', async () => {
    const spans = spansOf(turn, { capture: 'full' });
    const whole = await write(turn, 'full');
    appendFileSync(path, '{"kind":"scope","scope_cat');
    const exporter = new AtofExporter({ path });
    exporter.export(spans, ({ code }) => expect(code).toBe(0));
    await exporter.shutdown();
    expect(eventsIn(path)).toEqual(whole);
  });

  it('appends to what others wrote, or writes anew', async () => {
    writeFileSync(path, '{"kind":"mark"}\n');
    expect(await write(turn, 'full')).toHaveLength(9);
    const exporter = new AtofExporter({ path, mode: 'overwrite' });
    exporter.open();
    await exporter.shutdown();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('two that append to one file do not write over each other', async () => {
    const [one, other] = [new AtofExporter({ path }), new AtofExporter({ path })];
    const spans = ['t-1', 't-2'].map((id) =>
      spansOf((emit) => turn(emit, { session_id: id, turn_id: id }), { capture: 'full' }),
    );
    for (let i = 0; i < 4; i++) {
      one.take([factsOf(spans[0]?.[i] as never)]);
      other.take([factsOf(spans[1]?.[i] as never)]);
    }
    await Promise.all([one.shutdown(), other.shutdown()]);
    expect(new Set(eventsIn(path).map(({ metadata }) => metadata?.session_id))).toEqual(new Set(['t-1', 't-2']));
    expect(eventsIn(path)).toHaveLength(16);
  });

  it('a file that cannot be opened is told of and counted, and what was handed over can come again', async () => {
    const exporter = new AtofExporter({ path: join(folder, 'no/such/folder.jsonl') });
    const spans = spansOf(turn);
    let told: unknown;
    exporter.export(spans, ({ code, error }) => {
      told = [code, (error as { code?: string } | undefined)?.code];
    });
    expect(told).toEqual([1, 'HO_OUTPUT_UNWRITABLE']);
    expect([exporter.writtenSpans, exporter.lostSpans]).toEqual([0, 4]);
  });

  it('a span that cannot be written costs no other one', async () => {
    const spans = spansOf(turn, { capture: 'full' }).map(factsOf);
    const hostile = { ...spans[1], attributes: { ...spans[1]?.attributes, big: 1n } } as never;
    const exporter = new AtofExporter({ path });
    expect(() => exporter.take([...spans.slice(0, 1), hostile, ...spans.slice(2)])).toThrowError(/cannot be written/);
    expect([exporter.writtenSpans, exporter.lostSpans]).toEqual([3, 1]);
    await exporter.shutdown();
    expect(ends(eventsIn(path))).toHaveLength(3);
  });

  it.skipIf(process.platform !== 'linux')('a full disk takes nothing, and loses nothing that comes again', async () => {
    const exporter = new AtofExporter({ path: '/dev/full' });
    const spans = spansOf(turn).map(factsOf);
    expect(() => exporter.take(spans)).toThrowError(expect.objectContaining({ code: 'HO_OUTPUT_UNWRITABLE' }));
    expect(() => exporter.take(spans)).toThrowError(/ENOSPC/);
    await exporter.shutdown().catch(() => undefined);
  });

  it('half of a character becomes a whole one, which readers in other languages take', async () => {
    const spans = spansOf(turn).map(factsOf);
    const root = spans.at(-1);
    const exporter = new AtofExporter({ path });
    exporter.take([{ ...root, attributes: { ...root?.attributes, odd: 'a\ud800' } } as never]);
    await exporter.shutdown();
    expect(ends(eventsIn(path))[0]?.metadata?.odd).toBe('a\ufffd');
  });
});
