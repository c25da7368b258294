import { SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { rejection, Scene, sleep } from './scene.test-support.js';
import { ToolBlockedError } from './tool-blocked-error.js';

describe('a tool call', () => {
  it('has the ids, arguments and result in its hooks', async () => {
    const scene = new Scene();
    const args = { path: 'x' };
    const result = { big: 'y' };
    await scene.observer.turn({ sessionId: 's', taskId: 't' }, async (turn) => {
      await turn.request({ model: 'm' }, () => 1);
      const got = await turn.tool({ name: 'read', args, callId: 'call_7' }, (given, { callId }) => {
        expect(given).toBe(args);
        expect(callId).toBe('call_7');
        return result;
      });
      expect(got).toBe(result);
      expect(scene.payloads('post_tool_call')[0]).toMatchObject({
        tool_name: 'read',
        session_id: 's',
        task_id: 't',
        turn_id: turn.turnId,
        tool_call_id: 'call_7',
        api_request_id: `${turn.turnId}:api:1`,
        status: 'ok',
        error_type: null,
        duration_ms: expect.any(Number),
      });
    });
    expect(scene.payloads('post_tool_call')[0]?.result).toBe(result);
    expect(scene.payloads('pre_tool_call')[0]?.args).toBe(args);
    expect((await scene.span('execute_tool read')).attributes).toMatchObject({
      'gen_ai.tool.call.id': 'call_7',
      'hermes.tool.status': 'ok',
    });
  });

  it('starts at once when there is no guard', () => {
    const scene = new Scene();
    const order: string[] = [];
    const done = scene.observer.turn({}, (turn) => {
      order.push('turn');
      void turn.request({}, () => order.push('request'));
      void turn.tool({ name: 'a', args: {} }, () => order.push('tool'));
      void turn.subagent({}, () => order.push('subagent'));
      void turn.approval({ patternKey: 'p' }, () => {
        order.push('approval');
        return 'once';
      });
      order.push('after');
    });
    order.push('outside');
    expect(order).toEqual(['turn', 'request', 'tool', 'subagent', 'approval', 'after', 'outside']);
    return done;
  });

  it('fails with the class of its error', async () => {
    const scene = new Scene();
    const error = new RangeError('secret detail');
    await scene.observer.turn({}, async (turn) => {
      const call = turn.tool({ name: 'a', args: {} }, () => {
        throw error;
      });
      expect(await rejection(call)).toBe(error);
    });
    const tool = await scene.span('execute_tool a');
    expect(tool.attributes).toMatchObject({ 'hermes.tool.status': 'error', 'error.type': 'RangeError' });
    expect(tool.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(scene.payloads('post_tool_call')[0]).toMatchObject({ error_message: 'secret detail' });
  });

  it('is cancelled by an abort, and timed out by a timeout', async () => {
    const scene = new Scene();
    const abort = new AbortController();
    await scene.observer.turn({}, async (turn) => {
      const aborted = turn.tool({ name: 'a', args: {}, signal: abort.signal }, async (_args, { signal }) => {
        abort.abort();
        signal?.throwIfAborted();
      });
      expect(await rejection(aborted)).toBe(abort.signal.reason);
      const late = turn.tool({ name: 'b', args: {}, signal: AbortSignal.timeout(1) }, async (_args, { signal }) => {
        await sleep(20);
        signal?.throwIfAborted();
      });
      expect(await rejection(late)).toMatchObject({ name: 'TimeoutError' });
    });
    const [cancelled, timedOut] = [await scene.span('execute_tool a'), await scene.span('execute_tool b')];
    expect(cancelled.attributes['hermes.tool.status']).toBe('cancelled');
    expect(cancelled.status.code).toBe(SpanStatusCode.UNSET);
    expect(timedOut.attributes).toMatchObject({ 'hermes.tool.status': 'timeout', 'error.type': 'TimeoutError' });
  });

  it('keeps calls apart that a model gave the same id', async () => {
    const scene = new Scene();
    await scene.observer.turn({}, async (turn) => {
      await Promise.all(
        ['a', 'b', 'c'].map((name, n) => turn.tool({ name, args: {}, callId: 'call_0' }, () => sleep(5 - n))),
      );
      await turn.tool({ name: 'd', args: {}, callId: 'call_0' }, (_args, { callId }) => expect(callId).toBe('call_0'));
    });
    const ids = scene.payloads('pre_tool_call').map(({ tool_call_id }) => tool_call_id);
    expect(ids).toEqual(['call_0', 'call_0:2', 'call_0:3', 'call_0']);
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes',
      ...['a', 'b', 'c', 'd'].map((n) => `  execute_tool ${n}`),
    ]);
  });

  it('that gives a stream ends when the stream does', async () => {
    const scene = new Scene();
    await scene.observer.turn({}, async (turn) => {
      const lines = await turn.tool({ name: 'tail', args: {} }, async function* () {
        yield 1;
        yield 2;
      });
      expect(scene.payloads('post_tool_call')).toEqual([]);
      const seen: number[] = [];
      for await (const line of lines) seen.push(line);
      expect(seen).toEqual([1, 2]);
      expect(scene.payloads('post_tool_call')[0]).toMatchObject({ status: 'ok' });
      const left = await turn.tool({ name: 'left', args: {} }, async function* () {
        yield 1;
      });
      for await (const _ of left) break;
    });
    expect((await scene.span('execute_tool left')).attributes['hermes.tool.status']).toBe('cancelled');
  });

  it('may have its text replaced by a responder', async () => {
    const scene = new Scene();
    const remove = scene.hub.respond('transform_tool_result', ({ result }) => `${String(result)}!`);
    await scene.observer.turn({}, async (turn) => {
      expect(await turn.tool({ name: 'a', args: {} }, () => 'text')).toBe('text!');
      expect(await turn.tool({ name: 'a', args: {} }, () => 7)).toBe(7);
      remove();
      expect(await turn.tool({ name: 'a', args: {} }, () => 'text')).toBe('text');
    });
    expect(scene.payloads('post_tool_call')[0]?.result).toBe('text');
    expect(scene.payloads('transform_tool_result')).toHaveLength(1);
  });
});

describe('a guard', () => {
  const guarded = (scene: Scene, name = 'rm', guardTimeoutMs?: number) => {
    let ran = 0;
    const call = scene.observer.turn({}, (turn) =>
      turn.tool({ name, args: { a: 1 }, ...(guardTimeoutMs === undefined ? {} : { guardTimeoutMs }) }, (args) => {
        ran++;
        return args;
      }),
    );
    return { call, ran: () => ran };
  };

  it('changes arguments', async () => {
    const scene = new Scene();
    scene.hub.respond('pre_tool_call', () => ({ action: 'modify', args: { b: 2 } }));
    expect(await guarded(scene).call).toEqual({ a: 1, b: 2 });
    expect(scene.payloads('pre_tool_call')[0]?.args).toEqual({ a: 1 });
    expect(scene.payloads('post_tool_call')[0]?.args).toEqual({ a: 1, b: 2 });
  });

  it('leaves arguments that it does not change the same object, whatever they are', async () => {
    const scene = new Scene();
    scene.hub.respond('pre_tool_call', () => undefined);
    await scene.observer.turn({}, async (turn) => {
      for (const args of [{}, [1], 'text', 7, undefined, null, () => 1, new Map()]) {
        expect(await turn.tool({ name: 'a', args }, (given) => ({ given }))).toEqual({ given: args });
        expect((await turn.tool({ name: 'a', args }, (given) => ({ given }))).given).toBe(args);
      }
    });
  });

  it('blocks, with its reason for the model', async () => {
    const scene = new Scene();
    scene.hub.respond('pre_tool_call', () => ({ action: 'block', message: 'not here' }), { name: 'policy' });
    const { call, ran } = guarded(scene);
    const error = await rejection(call);
    expect(error).toBeInstanceOf(ToolBlockedError);
    expect(error).toMatchObject({
      name: 'ToolBlockedError',
      code: 'HO_TOOL_BLOCKED',
      kind: 'denied',
      reason: 'not here',
      toolName: 'rm',
      decision: { decision: 'block', by: ['policy'] },
    });
    expect(ran()).toBe(0);
    const tool = await scene.span('execute_tool rm');
    expect(tool.attributes).toMatchObject({
      'hermes.tool.status': 'blocked',
      'hermes.tool.blocked_by': 'plugin_block',
      'hermes.tool.duration_ms': 0,
    });
    expect(tool.status.code).toBe(SpanStatusCode.UNSET);
  });

  it('gives the value of a blocked call through onBlocked', async () => {
    const scene = new Scene();
    scene.hub.respond('pre_tool_call', () => ({ action: 'block', message: 'no' }));
    const value = await scene.observer.turn({}, (turn) =>
      turn.tool({ name: 'a', args: {}, onBlocked: ({ reason }) => `blocked: ${reason}` }, () => 'ran'),
    );
    expect(value).toBe('blocked: no');
  });

  it.each<[string, string, () => unknown]>([
    [
      'throws',
      'hook_error',
      () => {
        throw new Error('x');
      },
    ],
    ['rejects', 'hook_error', () => Promise.reject(new Error('x'))],
    ['is late', 'hook_timeout', () => new Promise(() => {})],
  ])('that %s blocks', async (_name, kind, answer) => {
    const scene = new Scene();
    scene.hub.respond('pre_tool_call', answer);
    const { call, ran } = guarded(scene, 'rm', 20);
    expect(await rejection(call)).toMatchObject({ kind });
    expect(ran()).toBe(0);
    expect((await scene.span('execute_tool rm')).attributes['hermes.tool.blocked_by']).toBe(kind);
  });

  it('that is asked about an aborted call runs nothing', async () => {
    const scene = new Scene();
    const abort = new AbortController();
    scene.hub.respond('pre_tool_call', () => {
      abort.abort();
      return new Promise(() => {});
    });
    await scene.observer.turn({}, async (turn) => {
      const call = turn.tool({ name: 'rm', args: {}, signal: abort.signal }, () => expect.fail('it ran'));
      expect(await rejection(call)).toBe(abort.signal.reason);
    });
    expect((await scene.span('execute_tool rm')).attributes['hermes.tool.status']).toBe('cancelled');
  });
});
