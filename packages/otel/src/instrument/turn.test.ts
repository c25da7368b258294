import { SpanStatusCode, trace } from '@opentelemetry/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rejection, Scene, sleep, useContextManager } from './scene.test-support.js';

let removeManager = () => {};
beforeAll(() => {
  removeManager = useContextManager();
});
afterAll(() => removeManager());

describe('a turn', () => {
  it('emits the hooks of its parts and makes one tree', async () => {
    const scene = new Scene();
    const value = await scene.observer.turn({ sessionId: 's', userMessage: 'hi', model: 'm' }, async (turn) => {
      await turn.request({ provider: 'openai' }, () => ({
        object: 'chat.completion',
        model: 'm-1',
        choices: [{ finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: [{}, {}] } }],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      }));
      await Promise.all([
        turn.tool({ name: 'search', args: { q: 1 } }, async () => sleep(5)),
        turn.tool({ name: 'read', args: { q: 2 } }, async (_args, call) => {
          await call.approval({ patternKey: 'rule' }, () => 'once');
          return call.subagent({ role: 'leaf', goal: 'do' }, async (child) => {
            await child.request({ model: 'small' }, () => 'x');
            return 'done';
          });
        }),
      ]);
      return 'answer';
    });
    expect(value).toBe('answer');
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes',
      '  chat m',
      '  execute_tool read',
      '    approval read',
      '    invoke_agent leaf',
      '      chat small',
      '  execute_tool search',
    ]);
    expect(scene.hooks.map(({ hook }) => hook)).toEqual([
      'pre_llm_call',
      'pre_api_request',
      'post_api_request',
      'pre_tool_call',
      'pre_tool_call',
      'pre_approval_request',
      'post_approval_response',
      'subagent_start',
      'pre_llm_call',
      'pre_api_request',
      'post_api_request',
      'post_llm_call',
      'on_session_end',
      'subagent_stop',
      'post_tool_call',
      'post_tool_call',
      'post_llm_call',
      'on_session_end',
    ]);
    const root = await scene.span('invoke_agent hermes');
    expect(root.attributes).toMatchObject({
      'hermes.turn.outcome': 'completed',
      'hermes.turn.exit_reason': 'text_response(finish_reason=tool_calls)',
      'hermes.turn.api_calls': 1,
      'hermes.turn.tool_calls': 2,
      'gen_ai.conversation.id': 's',
      'gen_ai.request.model': 'm',
    });
    expect((await scene.span('chat m')).attributes).toMatchObject({
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.response.model': 'm-1',
      'gen_ai.provider.name': 'openai',
    });
  });

  it('fails with the class of the error, which is thrown again as it is', async () => {
    const scene = new Scene();
    class QuotaError extends Error {}
    const error = new QuotaError('secret');
    expect(
      await rejection(
        scene.observer.turn({}, () => {
          throw error;
        }),
      ),
    ).toBe(error);
    const root = await scene.span('invoke_agent hermes');
    expect(root.attributes).toMatchObject({ 'hermes.turn.outcome': 'failed', 'error.type': 'QuotaError' });
    expect(root.status).toEqual({ code: SpanStatusCode.ERROR });
  });

  it('hangs below the span that is active when it starts', async () => {
    const scene = new Scene();
    const other = new Scene();
    await other.observer.turn({}, async () => {
      const outer = trace.getActiveSpan()?.spanContext();
      await scene.observer.turn({}, () => 1);
      const root = await scene.span('invoke_agent hermes');
      expect(root.parentSpanContext?.spanId).toBe(outer?.spanId);
      expect(root.spanContext().traceId).toBe(outer?.traceId);
    });
  });

  it('has ids of its own where none are given', async () => {
    const scene = new Scene();
    const turns: string[] = [];
    for (let n = 0; n < 2; n++) {
      await scene.observer.turn({}, ({ sessionId, taskId, turnId }) => {
        expect(sessionId).toMatch(/^session_[0-9a-f]{16}$/);
        expect(taskId).toBe(sessionId);
        expect(turnId).toMatch(/^session_[0-9a-f]{16}:session_[0-9a-f]{16}:[0-9a-f]{16}$/);
        turns.push(sessionId, turnId);
      });
    }
    expect(new Set(turns).size).toBe(4);
  });

  it('carries what its info says', async () => {
    const scene = new Scene({ capture: 'full' });
    const info = {
      sessionId: 's',
      taskId: 't',
      userMessage: [{ type: 'text', text: 'hi' }],
      model: 'm',
      platform: 'slack',
      isFirstTurn: true,
      parentSessionId: 'p',
      senderId: 'u',
      profile: 'work',
    };
    await scene.observer.turn(info, (turn) => {
      turn.answer('told');
      return { not: 'text' };
    });
    expect(scene.payloads('pre_llm_call')[0]).toMatchObject({
      session_id: 's',
      task_id: 't',
      user_message: info.userMessage,
      model: 'm',
      platform: 'slack',
      is_first_turn: true,
      parent_session_id: 'p',
      sender_id: 'u',
    });
    expect(scene.payloads('post_llm_call')[0]).toMatchObject({ assistant_response: 'told' });
    const root = await scene.span('invoke_agent hermes');
    expect(root.attributes).toMatchObject({ 'hermes.platform': 'slack', 'hermes.profile': 'work' });
    expect(root.attributes['gen_ai.output.messages']).toContain('told');
  });

  it('is interrupted by its signal, aborted before or while it runs', async () => {
    const scene = new Scene();
    const before = AbortSignal.abort();
    let ran = 0;
    const stopped = scene.observer.turn({ signal: before }, (turn) => {
      ran++;
      turn.signal?.throwIfAborted();
    });
    expect(await rejection(stopped)).toBe(before.reason);
    const during = new AbortController();
    // An agent that gives what it has when it is stopped.
    const partial = await scene.observer.turn({ signal: during.signal }, async () => {
      during.abort();
      return 'half an answer';
    });
    expect([ran, partial]).toEqual([1, 'half an answer']);
    for (const root of await scene.spans()) {
      expect(root.attributes['hermes.turn.outcome']).toBe('interrupted');
      expect(root.status.code).toBe(SpanStatusCode.UNSET);
    }
    expect(scene.payloads('post_llm_call')).toEqual([]);
  });

  it('that is cut down by an AbortError of its own is interrupted', async () => {
    const scene = new Scene();
    await rejection(scene.observer.turn({}, () => Promise.reject(new DOMException('x', 'AbortError'))));
    expect((await scene.span('invoke_agent hermes')).attributes['hermes.turn.outcome']).toBe('interrupted');
  });

  it.each([
    [10, 'completed'],
    [1, 'interrupted'],
  ])('that streams its answer ends with the stream: after at most %i chunks it is %s', async (most, outcome) => {
    const scene = new Scene();
    const stream = await scene.observer.turn({}, async function* (turn) {
      yield* await turn.request({ model: 'm' }, async function* () {
        yield 'a';
        yield 'b';
      });
    });
    expect(scene.payloads('on_session_end')).toEqual([]);
    let seen = 0;
    for await (const _ of stream) if (++seen >= most) break;
    expect((await scene.span('invoke_agent hermes')).attributes['hermes.turn.outcome']).toBe(outcome);
    expect((await scene.span('chat m')).attributes['hermes.incomplete']).toBeUndefined();
    expect(scene.payloads('post_llm_call').map((payload) => payload.assistant_response)).toEqual(
      outcome === 'completed' ? ['ab'] : [],
    );
  });

  it('leaves nothing open: calls that nobody waited for end with it', async () => {
    const scene = new Scene();
    await scene.observer.turn({}, (turn) => {
      void turn.tool({ name: 'slow', args: {} }, () => sleep(20));
      void turn.request({ model: 'm' }, () => sleep(20));
    });
    expect(scene.observer.counts.openSpans).toBe(0);
    await sleep(40);
    const spans = await scene.spans();
    expect(spans.map(({ name }) => name).sort()).toEqual(['chat m', 'execute_tool slow', 'invoke_agent hermes']);
    expect((await scene.span('execute_tool slow')).attributes['hermes.incomplete.reason']).toBe('turn_ended');
  });
});
