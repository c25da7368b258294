import { SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { rejection, Scene, sleep } from './scene.test-support.js';
import type { InstrumentedTurn } from './turn.js';

/** Three levels of agents, each with two tools at once that each run two agents at once. */
async function delegate(turn: InstrumentedTurn, path: string, depth: number): Promise<void> {
  await turn.request({ model: `m${path}` }, () => sleep(1));
  if (depth === 0) return;
  await Promise.all(
    ['a', 'b'].map((tool) =>
      turn.tool({ name: `${path}${tool}`, args: {} }, async (_args, call) => {
        await sleep(Math.random() * 3);
        // One names its call, one leaves it to what it runs in: both must come out right.
        const run = tool === 'a' ? call.subagent : turn.subagent.bind(turn);
        await Promise.all(
          ['x', 'y'].map((role) =>
            run({ role: `${path}${tool}${role}` }, (child) => delegate(child, `${path}${tool}${role}`, depth - 1)),
          ),
        );
      }),
    ),
  );
}

function parentName(spans: readonly ReadableSpan[], span: ReadableSpan): string | undefined {
  return spans.find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId)?.name;
}

describe('subagents', () => {
  it('three levels deep, all at once, each hang below their own tool call', async () => {
    const scene = new Scene();
    await scene.observer.turn({}, (turn) => delegate(turn, 'r', 3));
    const spans = await scene.spans();
    // 1 + 4 + 16 + 64 agents, a chat each, two tools for each that delegates.
    expect(spans.length).toBe(85 + 85 + 2 * 21);
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
    const agentName = (path: string) => `invoke_agent ${path === 'r' ? 'hermes' : path}`;
    for (const span of spans) {
      const [, kind = '', path = ''] = /^(\w+) (.*)$/.exec(span.name) ?? [];
      if (kind === 'chat') expect(parentName(spans, span)).toBe(agentName(path.slice(1)));
      else if (kind === 'execute_tool') expect(parentName(spans, span)).toBe(agentName(path.slice(0, -1)));
      else if (path !== 'hermes') expect(parentName(spans, span)).toBe(`execute_tool ${path.slice(0, -1)}`);
      expect(span.attributes['hermes.incomplete']).toBeUndefined();
    }
  });

  it('hang below the turn when no tool runs them', async () => {
    const scene = new Scene();
    await scene.observer.turn({}, (turn) => turn.subagent({ role: 'leaf' }, () => 1));
    expect(await scene.tree()).toEqual(['invoke_agent hermes', '  invoke_agent leaf']);
  });

  it('have hooks of their own and around them', async () => {
    const scene = new Scene();
    await scene.observer.turn({ sessionId: 'parent', provider: 'p' }, (turn) =>
      turn.tool({ name: 'delegate', args: {}, callId: 'c1' }, (_args, call) =>
        call.subagent({ role: 'leaf', goal: 'g', sessionId: 'child', agentId: 'sa-1', model: 'm' }, async (child) => {
          expect(child).toMatchObject({ sessionId: 'child', taskId: 'sa-1' });
          await child.request({}, () => 1);
          return 'summary';
        }),
      ),
    );
    const [turnStart, childStart] = scene.payloads('pre_llm_call');
    expect(childStart).toMatchObject({
      session_id: 'child',
      task_id: 'sa-1',
      parent_session_id: 'parent',
      platform: 'subagent',
      user_message: 'g',
    });
    expect(scene.payloads('subagent_start')[0]).toMatchObject({
      parent_session_id: 'parent',
      parent_turn_id: turnStart?.turn_id,
      parent_tool_call_id: 'c1',
      parent_subagent_id: null,
      child_session_id: 'child',
      child_subagent_id: 'sa-1',
      child_role: 'leaf',
      child_goal: 'g',
    });
    expect(scene.payloads('subagent_stop')[0]).toMatchObject({
      child_session_id: 'child',
      child_status: 'completed',
      child_summary: 'summary',
      duration_ms: expect.any(Number),
    });
    expect(scene.payloads('pre_api_request')[0]).toMatchObject({ model: 'm', provider: 'p' });
    expect((await scene.span('invoke_agent leaf')).attributes).toMatchObject({
      'gen_ai.agent.id': 'sa-1',
      'gen_ai.conversation.id': 'child',
      'hermes.subagent.status': 'completed',
    });
  });

  it('fail and are interrupted without the parent', async () => {
    const scene = new Scene();
    const error = new TypeError('x');
    const abort = new AbortController();
    await scene.observer.turn({}, async (turn) => {
      expect(await rejection(turn.subagent({ role: 'fails' }, () => Promise.reject(error)))).toBe(error);
      const stopped = turn.subagent({ role: 'stops', signal: abort.signal }, async (child) => {
        abort.abort();
        child.signal?.throwIfAborted();
      });
      expect(await rejection(stopped)).toBe(abort.signal.reason);
    });
    const [failed, stopped] = [await scene.span('invoke_agent fails'), await scene.span('invoke_agent stops')];
    expect(failed.attributes).toMatchObject({ 'hermes.subagent.status': 'failed', 'error.type': 'failed' });
    expect(failed.status.code).toBe(SpanStatusCode.ERROR);
    expect(stopped.attributes['hermes.subagent.status']).toBe('interrupted');
    expect(stopped.status.code).toBe(SpanStatusCode.UNSET);
    expect((await scene.span('invoke_agent hermes')).attributes['hermes.turn.outcome']).toBe('completed');
  });

  it('stop with the parent’s signal', async () => {
    const scene = new Scene();
    const abort = new AbortController();
    await rejection(
      scene.observer.turn({ signal: abort.signal }, (turn) =>
        turn.subagent({ role: 'leaf', signal: new AbortController().signal }, async (child) => {
          abort.abort();
          child.signal?.throwIfAborted();
        }),
      ),
    );
    expect((await scene.span('invoke_agent leaf')).attributes['hermes.subagent.status']).toBe('interrupted');
    expect((await scene.span('invoke_agent hermes')).attributes['hermes.turn.outcome']).toBe('interrupted');
  });

  it('that answer in a stream end when it does', async () => {
    const scene = new Scene();
    await scene.observer.turn({}, async (turn) => {
      const words = await turn.subagent({ role: 'leaf' }, async function* () {
        yield 'a';
        yield 'b';
      });
      expect(scene.payloads('subagent_stop')).toEqual([]);
      for await (const _ of words);
    });
    expect(scene.payloads('subagent_stop')[0]).toMatchObject({ child_status: 'completed', child_summary: 'ab' });
  });
});
