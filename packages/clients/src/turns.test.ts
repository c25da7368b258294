import { AdapterTurn, Guard, scopesOf } from '@hermes-observer/adapter';
import { trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { chatAnswer, chatDeltas, chatEnd, messageAnswer } from './answers.test-support.js';
import { withApproval, withSession, withTool, withTurn } from './index.js';
import { json, sse, unavailable } from './loopback-server.test-support.js';
import { afterTest, chat, message, observed, only, type Scene, server, weather } from './scene.test-support.js';

const ask = (scene: Scene) => scene.openai.chat.completions.create(chat);
const streams = { ...chat, stream: true as const };

describe('a turn', () => {
  it('has the requests of all clients in it, and the answer that its code gives', async () => {
    const scene = observed();
    server.answers(json(chatAnswer('m', 'One.')), json(messageAnswer('m', 'Two.')));
    const info = {
      agentName: 'planner',
      userMessage: 'Hi',
      model: 'm',
      sessionId: 's-1',
      senderId: 'u-1',
      platform: 'cli',
    };
    const answer = await withTurn(info, async () => {
      await ask(scene);
      await scene.anthropic.messages.create(message);
      return 'Three.';
    });
    expect(answer).toBe('Three.');
    expect(only(scene.payloads('pre_llm_call'))).toMatchObject({
      session_id: 's-1',
      sender_id: 'u-1',
      platform: 'cli',
      user_message: 'Hi',
    });
    expect(only(scene.payloads('post_llm_call'))).toMatchObject({ assistant_response: 'Three.' });
    expect((await scene.spans()).find(({ name }) => name.startsWith('invoke'))?.attributes).toMatchObject({
      'hermes.profile': 'planner',
    });
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat m: stop 10>5',
      '  chat m: stop 10>5',
    ]);
  });

  it('of an async generator is all that it asks for while it is read', async () => {
    const scene = observed();
    const active = () => scene.observer.traceContext().traceparent?.split('-')[1];
    const traces: unknown[] = [];
    async function* agent() {
      for (let i = 0; i < 3; i++) {
        await ask(scene);
        traces.push(active());
        yield i;
      }
      return 'Done.';
    }
    server.answers(...Array.from({ length: 6 }, () => json(chatAnswer('m', 'x'))));
    const read: number[] = [];
    const generator = agent();
    const given = await withTurn({ agentName: 'a' }, () => generator);
    expect(given).toBe(generator);
    for await (const part of given) read.push(part);
    expect(read).toEqual([0, 1, 2]);
    expect(new Set(traces).size).toBe(1);
    expect(active()).toBeUndefined();
    expect(only(scene.payloads('post_llm_call'))).toMatchObject({ assistant_response: 'Done.' });
    for await (const _ of await withTurn({}, () => ({ [Symbol.asyncIterator]: agent }))) break;
    const error = new RangeError('x');
    const fails = await withTurn({}, async function* () {
      yield await ask(scene);
      throw error;
    });
    await fails.next();
    await expect(fails.next()).rejects.toBe(error);
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      ...Array(3).fill('  chat m: stop 10>5'),
      'invoke_agent hermes: interrupted',
      '  chat m: stop 10>5',
      'invoke_agent hermes: failed ERROR',
      '  chat m: stop 10>5',
    ]);
  });

  it('ends with values that cannot be looked at, and so do its tools', async () => {
    const scene = observed();
    const refuse = () => {
      throw new Error('trap');
    };
    const hostile = new Proxy({}, { has: refuse });
    expect(await withTurn({}, () => hostile)).toBe(hostile);
    const trap = new Proxy({}, { get: (_, key) => (key === 'then' ? undefined : refuse()) });
    expect((await withTurn({}, () => withTool({ name: 'weather' }, () => trap))) === trap).toBe(true);
    const thrown = await withTurn({}, () => withTool({ name: 'weather' }, () => Promise.reject(trap))).catch((e) => [
      e,
    ]);
    expect((thrown as unknown[])[0] === trap).toBe(true);
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      'invoke_agent hermes: completed',
      '  execute_tool weather: ok',
      'invoke_agent hermes: failed ERROR',
      '  execute_tool weather: error ERROR',
    ]);
  });

  it('that throws fails with that error, the same object', async () => {
    const scene = observed();
    const error = new RangeError('x');
    await expect(withTurn({}, () => Promise.reject(error))).rejects.toBe(error);
    await expect(
      withTurn({}, () => {
        throw error;
      }),
    ).rejects.toBe(error);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: failed ERROR', 'invoke_agent hermes: failed ERROR']);
  });

  it('goes on after a request that failed', async () => {
    const scene = observed();
    server.answers(unavailable(400), json(messageAnswer('m', 'Sunny.')));
    await withTurn({}, () => ask(scene).catch(() => scene.anthropic.messages.create(message)));
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat m: x400 ERROR',
      '  chat m: stop 10>5',
    ]);
  });

  it('that gives a stream ends when it was read', async () => {
    const scene = observed();
    server.answers(sse([...chatDeltas('m', 3), ...chatEnd('m')]));
    const stream = await withTurn({}, () => scene.openai.chat.completions.create(streams));
    expect(scene.payloads('on_session_end')).toEqual([]);
    for await (const _ of stream);
    expect(only(scene.payloads('post_llm_call'))).toMatchObject({ assistant_response: 'www' });
    const helper = await withTurn({}, () => scene.openai.chat.completions.stream(chat));
    await helper.done();
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat m: stop 10>5 streamed',
      'invoke_agent hermes: completed',
      '  chat m: stop 10>5 streamed',
    ]);
  });

  it('has requests side by side', async () => {
    const scene = observed();
    server.answers(json(chatAnswer('m', 'One.')));
    await withTurn({}, () => Promise.all([ask(scene), ask(scene), ask(scene)]));
    expect(scene.payloads('pre_api_request').map(({ parallel }) => parallel)).toEqual([undefined, true, true]);
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      ...['', '', ''].map(() => '  chat m: stop 10>5'),
    ]);
  });

  it('has its session from around it, and tools outside of it are none', async () => {
    const scene = observed();
    await withSession({ sessionId: 's-2' }, () => withTurn({}, () => 'x'));
    expect(await withTool({ name: 'weather' }, () => 21)).toBe(21);
    expect(await withApproval({}, () => 'once')).toBe('once');
    expect(only(scene.payloads('pre_llm_call'))).toMatchObject({ session_id: 's-2' });
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed']);
  });

  it('is its code alone while nobody watches', async () => {
    expect(await withTurn({}, () => withTool({ name: 'x' }, () => withApproval({}, () => 'once')))).toBe('once');
  });

  it('keeps agents that run at once apart', async () => {
    const scene = observed();
    server.answers((request, response) => json(chatAnswer(String(request.body.model), 'x'))(request, response));
    const agent = (model: string) =>
      withTurn({ model }, async () => {
        for (let i = 0; i < 3; i++) {
          await scene.openai.chat.completions.create({ ...chat, model });
          await withTool({ name: model }, () => new Promise((resolve) => setTimeout(resolve, 2)));
        }
      });
    await Promise.all(['a', 'b', 'c', 'd'].map(agent));
    const tree = await scene.tree();
    expect(tree).toHaveLength(4 * 7);
    const turns = tree.join('\n').split('invoke_agent').slice(1);
    for (const turn of turns) expect(new Set(turn.match(/(?<=chat |execute_tool )\w/g)).size).toBe(1);
  });
});

describe('a tool', () => {
  it('has its span active, its result, and status by what it gives', async () => {
    const scene = observed();
    const timeout = new DOMException('late', 'TimeoutError');
    await withTurn({}, async () => {
      const active = () => scene.observer.traceContext().traceparent;
      const outside = active();
      expect(await withTool({ name: 'a', callId: 'call_1', args: { x: 1 } }, active)).not.toBe(outside);
      await withTool({ name: 'b' }, async () => ({ type: 'tool_result', is_error: true }));
      await expect(withTool({ name: 'c' }, () => Promise.reject(timeout))).rejects.toBe(timeout);
      await withTool({ name: 'd' }, async () => {
        await withApproval({ command: 'rm' }, () => 'deny');
        return 'denied';
      });
    });
    expect(scene.payloads('post_tool_call').map(({ status }) => status)).toEqual(['ok', 'error', 'timeout', 'blocked']);
    expect(scene.payloads('post_tool_call')[3]).toMatchObject({ error_type: 'user_denied' });
    expect(scene.payloads('post_tool_call')[0]).toMatchObject({ tool_call_id: 'call_1', args: { x: 1 } });
    expect(only(scene.payloads('post_approval_response'))).toMatchObject({ choice: 'deny', command: 'rm' });
  });

  it('that throws once it was denied is blocked', async () => {
    const scene = observed();
    const denied = new Error('denied');
    const tool = () =>
      withTool({ name: 'a' }, async () => {
        if ((await withApproval({}, () => 'deny')) === 'deny') throw denied;
      });
    await expect(withTurn({}, tool)).rejects.toBe(denied);
    expect(only(scene.payloads('post_tool_call'))).toMatchObject({ status: 'blocked', error_message: 'denied' });
  });

  it('whose question is not asked throws what asking threw', async () => {
    const scene = observed();
    const error = new Error('no channel');
    const asks = () => withTool({ name: 'a' }, () => withApproval({}, () => Promise.reject(error)));
    await expect(withTurn({}, asks)).rejects.toBe(error);
    expect(only(scene.payloads('post_approval_response'))).toMatchObject({ choice: 'notify_failed' });
    expect(only(scene.payloads('post_tool_call'))).toMatchObject({ status: 'error' });
  });
});

describe('what is asked in a tool', () => {
  it('is a child agent below the call, named for the model', async () => {
    const scene = observed();
    server.answers(json(chatAnswer('m', 'One.')), json(messageAnswer('n', 'Two.')), json(chatAnswer('m', 'Three.')));
    await withTurn({ agentName: 'planner' }, async () => {
      await withTool({ name: 'summarize' }, async () => {
        await ask(scene);
        await scene.anthropic.messages.create({ ...message, model: 'n' });
        return 'short';
      });
      await ask(scene);
    });
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  execute_tool summarize: ok',
      '    invoke_agent m: completed',
      '      chat m: stop 10>5',
      '    invoke_agent n: completed',
      '      chat n: stop 10>5',
      '  chat m: stop 10>5',
    ]);
    const root = (await scene.spans()).find(({ parentSpanContext }) => parentSpanContext === undefined);
    expect(root?.attributes).toMatchObject({ 'hermes.turn.api_calls': 1 });
  });

  it('fails as a child, and not the turn around it', async () => {
    const scene = observed();
    server.answers(unavailable(400));
    await withTurn({}, () => withTool({ name: 'a' }, () => ask(scene).catch(() => 'none')));
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  execute_tool a: ok',
      '    invoke_agent m: failed ERROR',
      '      chat m: x400 ERROR',
    ]);
  });

  it('by a loop of a client is one child agent, with its tools', async () => {
    const scene = observed();
    server.answers(json(chatAnswer('m', null, [weather])), json(chatAnswer('m', 'Sunny.')));
    const fn = Object.assign(() => 21, { parse: JSON.parse });
    const tools = [
      { type: 'function' as const, function: { name: 'weather', function: fn, parse: JSON.parse, parameters: {} } },
    ];
    await withTurn({}, () =>
      withTool({ name: 'delegate' }, () =>
        scene.openai.chat.completions.runTools({ ...chat, tools } as never).finalContent(),
      ),
    );
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  execute_tool delegate: ok',
      '    invoke_agent m: completed',
      '      chat m: tool_calls 10>5',
      '      execute_tool weather: ok',
      '      chat m: stop 10>5',
    ]);
  });
});

describe('a request of a framework that calls the client', () => {
  const frameworkRequest = (scene: Scene) => {
    const guard = new Guard('framework', () => {});
    const turn = new AdapterTurn(scene.observer, guard, {});
    const request = turn.request({ model: 'm', isLogical: true });
    return { turn, request, run: <T>(fn: () => T) => scopesOf(scene.observer, guard).run({ turn, request }, fn) };
  };

  it('has the attempts of the client, which makes none of its own', async () => {
    const scene = observed();
    const { turn, request, run } = frameworkRequest(scene);
    server.answers(unavailable(503), unavailable(429), json(chatAnswer('m', 'Sunny.')));
    await run(() => ask(scene));
    request.end({ usage: { inputTokens: 10, outputTokens: 5 }, finishReason: 'stop' });
    turn.end();
    expect(scene.payloads('pre_api_request').map(({ logical_call }) => logical_call)).toEqual([
      true,
      undefined,
      undefined,
    ]);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: stop 10>5 x503 x429']);
  });

  it('that fails has each attempt once, also where the framework itself asks again', async () => {
    const scene = observed();
    const { turn, request, run } = frameworkRequest(scene);
    server.answers(unavailable(400), unavailable(401));
    await run(() => ask(scene).catch(() => ask(scene))).catch((error: unknown) => {
      request.failed(error);
      turn.end({ error });
    });
    expect(await scene.tree()).toEqual(['invoke_agent hermes: failed ERROR', '  chat m: x400 x401 ERROR']);
  });
});

describe('in `observer.turn`', () => {
  it('a request that is wrapped already is not told twice, and others are turns below', async () => {
    const scene = observed();
    server.answers(json(chatAnswer('m', 'Sunny.')));
    await scene.observer.turn({}, (turn) => turn.request({ model: 'm' }, () => ask(scene)));
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: stop 10>5']);
    const other = observed();
    await other.observer.turn({}, () => ask(other));
    expect(await other.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  invoke_agent hermes: completed',
      '    chat m: stop 10>5',
    ]);
  });
});

it('code that asks has the span of the request active for the API of OpenTelemetry', async () => {
  const { context } = await import('@opentelemetry/api');
  const { AsyncLocalStorageContextManager } = await import('@opentelemetry/context-async-hooks');
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  afterTest(() => context.disable());
  const scene = observed();
  server.answers(json(chatAnswer('m', 'Sunny.')));
  let active: string | undefined;
  await scene.openai
    .withOptions({
      fetch: (input, init) => {
        active = trace.getActiveSpan()?.spanContext().spanId;
        return fetch(input as string, init);
      },
    })
    .chat.completions.create(chat);
  const request = (await scene.spans()).find(({ name }) => name.startsWith('chat'));
  expect(active).toBe(request?.spanContext().spanId);
});
