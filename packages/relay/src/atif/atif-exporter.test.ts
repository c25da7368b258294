import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Emit, request, spansOf, TURN, tool, turn } from '../spans/hooks.test-support.js';
import { factsOf, type SpanFacts } from '../spans/span-facts.js';
import { AtifExporter, type AtifExporterOptions } from './atif-exporter.js';
import type { Trajectory } from './trajectory.js';

const top = mkdtempSync(join(tmpdir(), 'atif-'));
afterAll(() => rmSync(top, { recursive: true }));
let folder = '';
let number = 0;
beforeEach(() => {
  folder = join(top, String(number++));
});

const documents = (path = folder) =>
  (existsSync(path) ? readdirSync(path) : [])
    .sort()
    .map((name) => JSON.parse(readFileSync(join(path, name), 'utf8')) as Trajectory);

const facts = (emitAll: (emit: Emit) => void, capture: 'none' | 'full' = 'full') =>
  spansOf(emitAll, { capture }).map(factsOf);

async function write(spans: readonly SpanFacts[], options: Partial<AtifExporterOptions> = {}) {
  const exporter = new AtifExporter({ folder, ...options });
  for (const span of spans) exporter.take([span]);
  await exporter.shutdown();
  return documents();
}

const CHILD = { parent_session_id: 's-1', parent_turn_id: 't-1', child_session_id: 's-2', child_role: 'leaf' };
const OF_CHILD = { session_id: 's-2', turn_id: 't-2' };

/** A turn that ends before the child that it asked for. */
function lateChild(emit: Emit): void {
  emit('pre_llm_call', { ...TURN, user_message: 'Count', model: 'm-1' });
  request(emit, 'r-1', [['c-1', 'delegate_task']]);
  tool(emit, 'c-1', 'delegate_task', { result: 'It runs.' }, () =>
    emit('subagent_start', { ...CHILD, child_goal: 'Go' }),
  );
  emit('on_session_end', { ...TURN, completed: true });
  request(emit, 'r-2', [], OF_CHILD);
  emit('on_session_end', { ...OF_CHILD, completed: true });
  emit('subagent_stop', { ...CHILD, child_status: 'completed' });
}

describe('a turn', () => {
  it('is steps of the user and of the agent, with calls, results, usage and sums', async () => {
    const [document] = await write(facts(turn));
    expect(document).toMatchObject({
      schema_version: 'ATIF-v1.7',
      session_id: 's-1',
      agent: { name: 'hermes', version: 'unknown', model_name: 'm-1' },
      final_metrics: { total_prompt_tokens: 20, total_completion_tokens: 4, total_cached_tokens: 8, total_steps: 3 },
    });
    const [question, answer, last] = document?.steps ?? [];
    expect(question).toMatchObject({ step_id: 1, source: 'user', message: 'Which files?' });
    expect(answer).toMatchObject({
      step_id: 2,
      source: 'agent',
      llm_call_count: 1,
      metrics: { prompt_tokens: 10, completion_tokens: 2, cached_tokens: 4 },
      tool_calls: [{ tool_call_id: 'c-1', function_name: 'list_files', arguments: { path: '.' } }],
      observation: { results: [{ source_call_id: 'c-1', content: 'notes.txt', extra: { status: 'ok' } }] },
      extra: { ancestry: { parent_id: document?.trajectory_id, parent_name: 'hermes' } },
    });
    expect(last).toMatchObject({ step_id: 3, message: 'One.' });
  });

  it('has the same steps with content off, and nothing of what was said', async () => {
    const [document] = await write(facts(turn, 'none'));
    expect(document?.steps.map(({ source, message }) => [source, message])).toEqual([
      ['user', ''],
      ['agent', ''],
      ['agent', ''],
    ]);
    expect(document?.steps[1]?.tool_calls).toMatchObject([{ tool_call_id: 'c-1', arguments: {} }]);
    expect(document?.steps[1]?.observation?.results[0]).not.toHaveProperty('content');
  });

  it('puts what the format has no word for into extra', async () => {
    const [document] = await write(
      facts((emit) => {
        emit('pre_llm_call', { ...TURN, user_message: 'Clean up', model: 'm-1' });
        request(emit, 'r-1', [['c-1', 'rm']]);
        tool(emit, 'c-1', 'rm', { status: 'blocked', error_type: 'approval_denied' }, () => {
          const approval = { ...TURN, tool_call_id: 'c-1', tool_name: 'rm', surface: 'cli', pattern_key: 'delete' };
          emit('pre_approval_request', approval);
          emit('post_approval_response', { ...approval, choice: 'deny' });
        });
        tool(emit, '', 'inside', {}, () => {});
        emit('on_human_input_request', { ...TURN, kind: 'clarify', prompt: 'Sure?' });
        emit('on_human_input_resolved', { ...TURN, kind: 'clarify', outcome: 'answered' });
        emit('on_session_end', { ...TURN, interrupted: true });
      }),
    );
    const [, answer, unasked, wait] = document?.steps ?? [];
    expect(answer?.observation?.results[0]?.extra).toMatchObject({
      status: 'blocked',
      blocked_by: 'approval_denied',
      waits: [{ kind: 'approval', duration_ms: 1000, attributes: { 'hermes.approval.choice': 'deny' } }],
    });
    expect(unasked).toMatchObject({ source: 'agent', llm_call_count: 0, extra: { kind: 'unasked_call' } });
    expect(unasked).not.toHaveProperty('metrics');
    expect(wait).toMatchObject({ source: 'system', extra: { kind: 'human_input' } });
    expect(document?.notes).toBe('Outcome: interrupted.');
  });

  it('has auxiliary requests as subagents of a step of the system, and not in its own sums', async () => {
    const [document] = await write(
      facts((emit) => {
        emit('pre_llm_call', { ...TURN, user_message: 'Hello', model: 'm-1' });
        request(emit, 'r-1');
        const auxiliary = { ...TURN, api_request_id: 'a-1', aux_task: 'title_generation', model: 'm-2' };
        emit('pre_auxiliary_call', auxiliary);
        emit('post_auxiliary_call', { ...auxiliary, usage: { prompt_tokens: 5, output_tokens: 1 } });
        emit('on_session_end', { ...TURN, completed: true });
      }),
    );
    const [title] = document?.subagent_trajectories ?? [];
    expect(title).toMatchObject({
      agent: { name: 'auxiliary title_generation' },
      final_metrics: { total_prompt_tokens: 5 },
    });
    expect(document?.steps.at(-1)).toMatchObject({
      source: 'system',
      observation: { results: [{ subagent_trajectory_ref: [{ trajectory_id: title?.trajectory_id }] }] },
    });
    expect(document?.final_metrics).toMatchObject({
      total_prompt_tokens: 10,
      extra: { with_subagents: { prompt_tokens: 15, completion_tokens: 3 } },
    });
  });

  it('costs are those of subagents as well', async () => {
    const spans = facts(lateChild).map((span) =>
      /^chat/.test(span.name) ? { ...span, attributes: { ...span.attributes, 'hermes.cost.usd': 0.25 } } : span,
    );
    const [document] = await write(spans);
    expect(document?.final_metrics.total_cost_usd).toBe(0.5);
    expect(document?.subagent_trajectories?.[0]?.final_metrics.total_cost_usd).toBe(0.25);
    expect(document?.steps[1]?.metrics?.cost_usd).toBe(0.25);
  });
});

describe('a child that ends after its turn', () => {
  it('is put into the document of the turn, which was there without it', async () => {
    const spans = facts(lateChild);
    const exporter = new AtifExporter({ folder });
    const turnEnd = spans.findIndex(({ name }) => name === 'invoke_agent hermes');
    expect(turnEnd).toBeLessThan(spans.length - 1);
    exporter.take(spans.slice(0, turnEnd + 1));
    expect(documents()).toMatchObject([{ steps: [{}, { observation: { results: [{ content: 'It runs.' }] } }] }]);
    expect(documents()[0]).not.toHaveProperty('subagent_trajectories');
    exporter.take(spans.slice(turnEnd + 1));
    const [document, ...others] = documents();
    expect(others).toEqual([]);
    const [child] = document?.subagent_trajectories ?? [];
    expect(child).toMatchObject({ session_id: 's-2', agent: { name: 'leaf' } });
    expect(document?.steps[1]?.observation?.results[0]?.subagent_trajectory_ref).toEqual([
      { trajectory_id: child?.trajectory_id, session_id: 's-2' },
    ]);
    await exporter.shutdown();
  });

  it('a child that still works keeps its turn, however long it takes', async () => {
    const spans = facts(lateChild);
    const at = spans.findIndex(({ name }) => name === 'invoke_agent hermes');
    let now = 0;
    const exporter = new AtifExporter({ folder, lateMillis: 2_000, now: () => now });
    for (const span of [...spans.slice(0, at + 2), undefined, ...spans.slice(at + 2)]) {
      exporter.take(span === undefined ? [] : [span]);
      // The first request of the child has come, its end has not.
      if (span === spans[at + 1] || span === undefined) now += 5_000;
    }
    await exporter.shutdown();
    expect(documents()).toMatchObject([{ session_id: 's-1', subagent_trajectories: [{ session_id: 's-2' }] }]);
  });

  it('after lateMillis it is a document of its own, and the one of its turn stays', async () => {
    const spans = facts(lateChild);
    const at = spans.findIndex(({ name }) => name === 'invoke_agent hermes');
    let now = 0;
    const exporter = new AtifExporter({ folder, lateMillis: 2_000, now: () => now });
    exporter.take(spans.slice(0, at + 1));
    const before = readdirSync(folder);
    now = 5_000;
    exporter.take([]);
    exporter.take(spans.slice(at + 1));
    await exporter.shutdown();
    const late = documents().filter(({ session_id: session }) => session !== 's-9');
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(before));
    expect(late).toHaveLength(2);
    const alone = late.find(({ session_id: session }) => session === 's-2');
    expect(alone).toMatchObject({
      agent: { name: 'leaf' },
      extra: { kind: 'child' },
      steps: [{}, { message: 'One.' }],
    });
    expect(alone?.extra.attributes).toMatchObject({
      'hermes.parent.session.id': 's-1',
      'hermes.parent.turn.id': 't-1',
    });
  });
});

describe('layouts', () => {
  it('files: a child has a file, and the reference leads there', async () => {
    const all = await write(facts(lateChild), { subagents: 'files' });
    expect(all).toHaveLength(2);
    const parent = all.find(({ session_id: session }) => session === 's-1');
    const child = all.find(({ session_id: session }) => session === 's-2');
    const [ref] = parent?.steps[1]?.observation?.results[0]?.subagent_trajectory_ref ?? [];
    expect(ref?.trajectory_id).toBe(child?.trajectory_id);
    expect(JSON.parse(readFileSync(join(folder, ref?.trajectory_path ?? ''), 'utf8'))).toEqual(child);
    expect(parent?.final_metrics.extra).toEqual({
      with_subagents: { prompt_tokens: 20, completion_tokens: 4, cached_tokens: 8 },
    });
  });

  const turns = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      facts((emit) => turn(emit, { session_id: 's-1', turn_id: `t-${i + 1}` })),
    ).map((spans, i) =>
      spans.map((span) => ({
        ...span,
        start: [span.start[0] + i * 100, 0] as [number, number],
        end: [span.end[0] + i * 100, 0] as [number, number],
      })),
    );

  it('session: each turn adds its steps, over a restart too, and one that comes again changes nothing', async () => {
    const [first = [], second = []] = turns(2);
    await write(first, { trajectory: 'session' });
    await write(second, { trajectory: 'session' });
    const [document, ...others] = documents();
    expect(others).toEqual([]);
    expect(document?.steps.map(({ step_id: id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(document?.final_metrics).toMatchObject({ total_prompt_tokens: 40, total_steps: 6 });
    expect(document?.extra.turns).toMatchObject([{ steps: 3 }, { steps: 3 }]);
    expect(await write(first, { trajectory: 'session' })).toEqual([document]);
  });

  it('session: turns stand in the order of their starts, whichever ended first', async () => {
    const [first = [], second = []] = turns(2);
    await write([...second, ...first], { trajectory: 'session' });
    const swapped = documents();
    folder = join(top, String(number++));
    const [document] = await write([...first, ...second], { trajectory: 'session' });
    expect(swapped[0]?.steps).toEqual(document?.steps);
  });

  it('session: a file under its name that is none of ours is kept', async () => {
    const [first = []] = turns(1);
    await write(first, { trajectory: 'session' });
    const [name = ''] = readdirSync(folder);
    writeFileSync(join(folder, name), 'mine');
    const exporter = new AtifExporter({ folder, trajectory: 'session' });
    exporter.take(first);
    const names = readdirSync(folder);
    expect(names).toHaveLength(2);
    const other = names.find((each) => each.endsWith('.other')) ?? '';
    expect(readFileSync(join(folder, other), 'utf8')).toBe('mine');
    await exporter.shutdown();
  });
});

describe('what is kept', () => {
  it('a turn whose end never came is written at shutdown, and says so', async () => {
    const spans = facts(turn).slice(0, -1);
    const [document] = await write(spans);
    expect(document).toMatchObject({ notes: 'Nothing ended this turn; it was closed: its span never came.' });
    expect(document?.steps.at(-1)).toMatchObject({ message: 'One.' });
    // When it comes after all, it takes the same place.
    const [whole, ...others] = await write(facts(turn));
    expect(others).toEqual([]);
    expect(whole).not.toHaveProperty('notes');
  });

  it('a turn below a span of the application is a document, whether that span comes or not', async () => {
    const spans = facts(turn);
    const above = { ...(spans.at(-1) as SpanFacts), spanId: '00f067aa0ba902b7', name: 'GET /', attributes: {} };
    const below = [...spans.slice(0, -1), { ...(spans.at(-1) as SpanFacts), parentId: above.spanId }];
    expect(await write(below)).toHaveLength(1);
    folder = join(top, String(number++));
    expect(await write([...below, above])).toHaveLength(1);
  });

  it('requests below a span of the application inside a turn are steps of the turn', async () => {
    const spans = facts(turn);
    const [chat] = spans as [SpanFacts];
    const between = { ...chat, spanId: '00f067aa0ba902b7', name: 'retry', attributes: {} };
    const [document, ...others] = await write([{ ...chat, parentId: between.spanId }, between, ...spans.slice(1)]);
    expect(others).toEqual([]);
    expect(document?.steps).toHaveLength(3);
  });

  it('what comes of a turn that was given up does not take the place of its document', async () => {
    const spans = facts(turn);
    const [whole] = await write(spans);
    const exporter = new AtifExporter({ folder });
    exporter.take(spans.slice(0, 1));
    await exporter.shutdown();
    expect(documents()).toHaveLength(2);
    expect(documents()).toContainEqual(whole);
    expect(readdirSync(folder).filter((name) => name.endsWith('-late.json'))).toHaveLength(1);
  });

  it('a restart with a state folder goes on where it was; without one what was open is written as it is', async () => {
    const stateFolder = join(top, `${number}-state`);
    const spans = facts(turn);
    const first = new AtifExporter({ folder, stateFolder });
    first.take(spans.slice(0, 3));
    await first.shutdown();
    expect(documents()).toEqual([]);
    const second = new AtifExporter({ folder, stateFolder });
    // After a crash some come twice.
    second.take(spans.slice(2));
    await second.shutdown();
    expect(documents()).toMatchObject([{ steps: [{}, { tool_calls: [{}] }, {}], final_metrics: { total_steps: 3 } }]);
    expect(readdirSync(stateFolder)).toHaveLength(1);
  });

  it('over maxBytes the trace that was silent for longest is written and let go', async () => {
    const exporter = new AtifExporter({ folder, maxBytes: 2 ** 20 });
    for (let i = 0; i < 8; i++) {
      const of = { session_id: `s-${i}`, turn_id: `t-${i}` };
      const spans = facts((emit) => turn(emit, of)).slice(0, -1);
      exporter.take(spans.map((span) => ({ ...span, attributes: { ...span.attributes, large: 'x'.repeat(40_000) } })));
    }
    const let_go = documents().length;
    expect(let_go).toBeGreaterThan(2);
    expect(let_go).toBeLessThan(8);
    await exporter.shutdown();
    expect(documents()).toHaveLength(8);
  });

  it('a folder that takes nothing is told of, and what was due is written later', async () => {
    writeFileSync(folder, 'a file');
    const exporter = new AtifExporter({ folder });
    const spans = spansOf(turn);
    let told: unknown;
    exporter.export(spans, ({ error }) => {
      told = (error as { code?: string } | undefined)?.code;
    });
    expect([told, exporter.lostSpans]).toEqual(['HO_OUTPUT_UNWRITABLE', 4]);
    rmSync(folder);
    exporter.export(spans, ({ code }) => expect(code).toBe(0));
    expect(documents()).toHaveLength(1);
    await exporter.shutdown();
  });

  it('options out of range are refused', () => {
    expect(() => new AtifExporter({ folder, lateMillis: -1 })).toThrowError(/lateMillis/);
    expect(() => new AtifExporter({ folder, maxBytes: 1 })).toThrowError(/maxBytes/);
  });
});
