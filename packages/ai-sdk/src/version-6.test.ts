import { withSession } from '@hermes-observer/adapter';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import * as seven from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { APICallError, generateText, simulateReadableStream, streamText, ToolLoopAgent } from 'ai-v6';
import { describe, expect, it } from 'vitest';

import {
  agent,
  answering,
  answers,
  call,
  deltas,
  ends,
  model,
  observed,
  only,
  scripted,
  sleep,
  stop,
  streaming,
  TREE,
  usage,
  wrapped,
} from './version-6.test-support.js';

describe('a run of AI SDK 6', () => {
  it('has what was called and given in the messages of the next request, in the format of its answers', async () => {
    const scene = observed({}, { capture: 'full' });
    await generateText(agent());
    const spans = await scene.spans();
    const last = spans.filter(({ name }) => name === 'chat m').at(-1);
    expect(JSON.parse(String(last?.attributes['gen_ai.input.messages']))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'How is the weather?' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } }],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: { temperature: 21 } }] },
    ]);
  });

  it('has messages, answers, arguments, results and the whole usage in its records', async () => {
    const scene = observed();
    await generateText({ ...agent(), system: 'Be short.', experimental_telemetry: { functionId: 'planner' } });
    const [first, last] = scene.payloads('post_api_request');
    expect(only(scene.payloads('pre_llm_call'))).toMatchObject({ user_message: 'How is the weather?', model: 'm' });
    expect(scene.payloads('pre_api_request')[0]).toMatchObject({
      provider: 'mock',
      system_prompt: 'Be short.',
      logical_call: true,
    });
    expect(first).toMatchObject({
      usage: { prompt_tokens: 10, input_tokens: 4, output_tokens: 5, cache_read_tokens: 6, reasoning_tokens: 2 },
      response: {
        assistant_message: { tool_calls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }] },
      },
    });
    expect(last).toMatchObject({ response: { assistant_message: { content: 'Sunny.' } } });
    expect(only(scene.payloads('post_tool_call'))).toMatchObject({
      args: { city: 'Oslo' },
      result: { temperature: 21 },
      api_request_id: first?.api_request_id,
    });
    expect(only(scene.payloads('post_llm_call'))).toMatchObject({ assistant_response: 'Sunny.' });
    expect((await scene.spans()).find(({ name }) => name.startsWith('invoke'))?.attributes).toMatchObject({
      'hermes.profile': 'planner',
    });
  });

  it('has a request that ends when its first tool starts, though its usage comes later', async () => {
    const scene = observed();
    await generateText(agent(() => sleep(60).then(() => ({}))));
    const spans = (await scene.spans()) as unknown as readonly ReadableSpan[];
    const [request, tool] = ['chat', 'execute_tool'].map((name) => spans.find((span) => span.name.startsWith(name)));
    const millis = ([seconds, nanos]: readonly [number, number] = [0, 0]) => seconds * 1000 + nanos / 1e6;
    const end = millis(request?.endTime);
    expect(end).toBeLessThanOrEqual(millis(tool?.startTime));
    expect(millis(tool?.endTime) - end).toBeGreaterThan(50);
  });

  it('whose metadata hides inputs and outputs tells usage and status, and nothing of what was said', async () => {
    const scene = observed();
    const fails = () => {
      throw new RangeError('no such city');
    };
    const experimental_telemetry = { metadata: { recordInputs: false, recordOutputs: false } };
    await generateText({ ...agent(fails), experimental_telemetry });
    const error = new APICallError({ message: 'secret', url: 'x', requestBodyValues: {}, statusCode: 400 });
    await expect(
      generateText({ model: wrapped(scripted([error])), prompt: 'How is it?', experimental_telemetry }),
    ).rejects.toBe(error);
    const hooks = ['pre_llm_call', 'pre_api_request', 'post_api_request', 'pre_tool_call', 'post_tool_call'];
    for (const hook of [...hooks, 'post_llm_call', 'api_request_error', 'on_session_end']) {
      expect(scene.payloads(hook).length, hook).toBeGreaterThan(0);
      expect(JSON.stringify(scene.payloads(hook)), hook).not.toMatch(/Sunny|Oslo|How is|no such city|secret/);
    }
    await sleep(5);
    expect((await scene.tree()).slice(0, 4)).toEqual(
      TREE.map((line) => line.replace('weather: ok', 'weather: error ERROR')),
    );
  });

  it.each([[{ recordInputs: false, recordOutputs: false }], [{ recordInputs: false }]])(
    'whose metadata is %j quotes no arguments that were refused',
    async (metadata) => {
      const scene = observed();
      const refused = { ...answers[0], content: [{ ...call, input: '{"town":"Oslo"}' }] };
      await generateText({
        ...agent(() => 1, model(scripted([refused, answers[1]]))),
        experimental_telemetry: { metadata },
      });
      const [ended] = scene.payloads('post_tool_call');
      expect(ended).toMatchObject({ status: 'error', error_type: 'invalid_tool_arguments', error_message: null });
      expect(JSON.stringify(ended)).not.toContain('Oslo');
    },
  );

  it('belongs to the session of its metadata, else to that of withSession', async () => {
    const scene = observed();
    const options = () => ({ model: answering(), prompt: 'x' });
    await withSession({ sessionId: 's-1' }, async () => {
      await generateText({ ...options(), experimental_telemetry: { metadata: { sessionId: 's-2' } } });
      await generateText(options());
    });
    expect(scene.payloads('pre_llm_call').map(({ session_id }) => session_id)).toEqual(['s-2', 's-1']);
  });

  it('is told apart from others at the same time, and from runs of 7', async () => {
    const scene = observed();
    const of7 = () =>
      seven.generateText({
        model: new MockLanguageModelV4({ modelId: 'm', doGenerate: async () => answers[1] as never }),
        prompt: 'x',
      });
    await Promise.all([generateText(agent()), of7(), generateText(agent()), of7(), generateText(agent())]);
    const trees = (await scene.tree()).join('\n').split(/\n(?=invoke)/);
    const plain = [TREE[0], TREE[3]].join('\n');
    expect(trees.sort()).toEqual([TREE.join('\n'), TREE.join('\n'), TREE.join('\n'), plain, plain].sort());
  });

  it('with callbacks and integrations of its own is seen all the same', async () => {
    const scene = observed();
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(name);
    await generateText({
      ...agent(),
      experimental_onStart: note('start'),
      experimental_onStepStart: note('step'),
      experimental_onToolCallStart: note('tool'),
      onFinish: note('finish'),
      experimental_telemetry: { integrations: { onFinish: note('integration') } },
    });
    expect(seen).toEqual(['start', 'step', 'tool', 'step', 'finish', 'integration']);
    expect(await scene.tree()).toEqual(TREE);
  });

  it('of an agent inside a tool of a stream is its child, with two observers for each of them', async () => {
    const [one, other] = [observed(), observed()];
    const child = new ToolLoopAgent({ model: answering(), experimental_telemetry: { functionId: 'researcher' } });
    const finish = { type: 'finish', finishReason: answers[0]?.finishReason, usage };
    let step = 0;
    const parts = () =>
      step++ === 0 ? [call, finish] : [...deltas(2), { type: 'text-end', id: 't' }, { ...finish, finishReason: stop }];
    const doStream = async () => ({
      stream: simulateReadableStream({
        chunks: [{ type: 'stream-start', warnings: [] }, { type: 'text-start', id: 't' }, ...parts()] as never[],
      }),
    });
    const { textStream } = streamText(
      agent(() => child.generate({ prompt: 'dig' }).then(({ text }) => ({ text })), wrapped({ doStream }) as never),
    );
    for await (const _ of textStream);
    await sleep(5);
    const tree = [
      'invoke_agent hermes: completed',
      '  chat m: tool_calls 10>5 streamed',
      '  execute_tool weather: ok',
      '    invoke_agent researcher: completed',
      '      chat m: stop 10>5',
      '  chat m: stop 10>5 streamed',
    ];
    expect(await one.tree()).toEqual(tree);
    expect(await other.tree()).toEqual(tree);
  });
});

describe('code around a run of AI SDK 6', () => {
  it('has the active span of its tool, of the API as well, and none behind the run', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    ends.push(() => context.disable());
    const scene = observed();
    const active: (string | undefined)[] = [];
    const look = () => {
      active.push(trace.getActiveSpan()?.spanContext().spanId);
      return { temperature: 21 };
    };
    const running = generateText(agent(look));
    const after = () => [scene.observer.scope, trace.getActiveSpan()];
    expect(after()).toEqual([undefined, undefined]);
    await running;
    expect(after()).toEqual([undefined, undefined]);
    const { textStream } = streamText({ model: streaming(deltas(2)), prompt: 'x' });
    expect(after()).toEqual([undefined, undefined]);
    for await (const _ of textStream) expect(after()).toEqual([undefined, undefined]);
    expect(after()).toEqual([undefined, undefined]);
    const tool = (await scene.spans()).find(({ name }) => name.startsWith('execute_tool'));
    expect(active).toEqual([tool?.spanContext().spanId]);
  });

  it('in a turn of the program is part of its trace', async () => {
    const scene = observed();
    await scene.observer.turn({}, () => generateText(agent()).then(({ text }) => text));
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', ...TREE.map((line) => `  ${line}`)]);
  });
});

describe('spans of AI SDK 6 itself', () => {
  it('are warned of once', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    ends.push(() => context.disable());
    const scene = observed();
    const { tracerProvider } = await ownSpans();
    const experimental_telemetry = { isEnabled: true, tracer: tracerProvider.getTracer('ai') };
    await generateText({ ...agent(), experimental_telemetry });
    await generateText({ ...agent(), experimental_telemetry });
    expect(scene.warnings).toHaveLength(1);
    expect(scene.warnings[0]).toMatch(/experimental_telemetry/);
  });
});

async function ownSpans() {
  const { BasicTracerProvider } = await import('@opentelemetry/sdk-trace-base');
  return { tracerProvider: new BasicTracerProvider() };
}
