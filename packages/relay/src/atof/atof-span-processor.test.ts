import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copySpan, SpanRedactor } from '@hermes-observer/otel';
import { afterAll, expect, it } from 'vitest';
import { request, spansOf, TURN, tool, turn } from '../spans/hooks.test-support.js';
import { AtofSpanProcessor } from './atof-span-processor.js';
import type { AtofEvent } from './event.js';

const folder = mkdtempSync(join(tmpdir(), 'atof-live-'));
afterAll(() => rmSync(folder, { recursive: true }));
const linesIn = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AtofEvent);
const told = (event: AtofEvent) => `${event.name} ${event.kind === 'scope' ? event.scope_category : 'mark'}`;

it('a start is in the file when its span begins, an end when it ends', async () => {
  const path = join(folder, 'live.jsonl');
  const processor = new AtofSpanProcessor({ path });
  const seen: string[][] = [];
  const look = () => seen.push(linesIn(path).map(told));
  spansOf(
    (emit) => {
      emit('pre_llm_call', { ...TURN, user_message: 'Hello' });
      look();
      request(emit, 'r-1', [['c-1', 'list_files']]);
      tool(emit, 'c-1', 'list_files', {}, look);
      emit('on_session_end', { ...TURN, completed: true });
    },
    { capture: 'full', processors: [processor] },
  );
  await processor.shutdown();
  expect(seen).toEqual([
    ['hermes start'],
    ['hermes start', 'openai.chat_completions start', 'openai.chat_completions end', 'list_files start'],
  ]);
  expect(linesIn(path).map(told).slice(4)).toEqual(['list_files end', 'hermes end']);
  expect(new Set(linesIn(path).map(({ uuid }) => uuid)).size).toBe(3);
});

it('with content off the end of a request waits for its calls, its start does not', async () => {
  const path = join(folder, 'off.jsonl');
  const processor = new AtofSpanProcessor({ path });
  spansOf(turn, { processors: [processor] });
  await processor.shutdown();
  const events = linesIn(path);
  expect(events).toHaveLength(8);
  expect(JSON.stringify(events.find((event) => told(event) === 'openai.chat_completions end'))).toContain('"c-1"');
});

it('writes what beforeWrite makes of a span, and nothing of one that it throws for', async () => {
  const path = join(folder, 'redacted.jsonl');
  const redactor = new SpanRedactor({ keys: ['hermes.task.id'] });
  const processor = new AtofSpanProcessor({
    path,
    beforeWrite: (span) => {
      if (span.name.startsWith('execute_tool')) throw new Error('not this one');
      return redactor.redact(copySpan(span, {}));
    },
  });
  spansOf(
    (emit) => {
      emit('pre_llm_call', {
        ...TURN,
        task_id: 'a-secret',
        user_message: 'My key is sk-proj-1234567890abcdefghijklmnop',
      });
      tool(emit, 'c-1', 'list_files');
      emit('on_session_end', { ...TURN, completed: true });
    },
    { capture: 'full', processors: [processor] },
  );
  await processor.shutdown();
  expect(linesIn(path).map(told)).toEqual(['hermes start', 'hermes end']);
  expect(readFileSync(path, 'utf8')).not.toMatch(/a-secret|sk-proj-12345/);
  expect(processor.lostSpans).toBe(2);
});

it('a file that cannot be written keeps nobody from anything', async () => {
  const processor = new AtofSpanProcessor({ path: join(folder, 'no/such.jsonl') });
  expect(spansOf(turn, { processors: [processor] })).toHaveLength(4);
  expect(processor.lastError).toMatchObject({ code: 'HO_OUTPUT_UNWRITABLE' });
});
