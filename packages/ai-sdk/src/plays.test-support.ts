import type { PlayScene, TriedAdapter } from '@hermes-observer/core/testing';
import type { createObserver, Observer } from '@hermes-observer/otel';
import type * as Ai from 'ai';
import type * as AiTest from 'ai/test';
import { z } from 'zod';
import { instrumentAiSdk } from './instrument.js';
import { observerMiddleware } from './middleware.js';

type Scene = PlayScene<Observer>;
type Generated = Awaited<ReturnType<AiTest.MockLanguageModelV4['doGenerate']>>;
type Content = Generated['content'];

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis));
const call = (toolCallId: string, toolName: string, input: object): Content[number] => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});
const text = (value: string): Content[number] => ({ type: 'text', text: value });

type Mock = AiTest.MockLanguageModelV4;

/** How a version of the AI SDK differs from the newest. */
export interface Differences {
  /** Before 7 a tool says that it needs a person, and other options have other names. */
  readonly isVersion6?: boolean;
  /** With the model as the middleware of this package wraps it. */
  readonly wraps?: boolean;
  readonly skip?: TriedAdapter<Observer>['skip'];
}

/** The behaviours as agents of one version of the AI SDK, with its mock model. */
export function playsOf(
  name: string,
  ai: typeof Ai,
  aiTest: typeof AiTest,
  createTestObserver: typeof createObserver,
  { isVersion6 = false, wraps = false, skip = {} }: Differences = {},
): TriedAdapter<Observer> {
  const { generateText, streamText, tool, ToolLoopAgent, APICallError, simulateReadableStream } = ai;
  const of6 = ai as unknown as { stepCountIs: typeof ai.isStepCount };
  const isStepCount = isVersion6 ? of6.stepCountIs : ai.isStepCount;
  const MockLanguageModel = isVersion6
    ? (aiTest as unknown as { MockLanguageModelV3: typeof aiTest.MockLanguageModelV4 }).MockLanguageModelV3
    : aiTest.MockLanguageModelV4;
  const wrapped = (made: Mock): Mock =>
    wraps ? (ai.wrapLanguageModel({ model: made, middleware: observerMiddleware() as never }) as Mock) : made;
  const telemetryOf = (functionId: string) =>
    isVersion6 ? { experimental_telemetry: { functionId } } : { telemetry: { functionId } };
  const asksPerson = isVersion6 ? {} : { toolApproval: { weather: 'user-approval' as const } };

  const model = (scene: Scene, steps: readonly (Content | Error)[], modelId: string = scene.script.model) => {
    let step = 0;
    const made = new MockLanguageModel({
      provider: 'mock',
      modelId,
      doGenerate: async () => {
        scene.mark('model');
        const content = steps[Math.min(step++, steps.length - 1)] as Content | Error;
        if (content instanceof Error) throw content;
        const unified = content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop';
        return { content, usage, warnings: [], finishReason: { unified, raw: unified } };
      },
    });
    return wrapped(made);
  };

  const streamed = (scene: Scene, parts: readonly object[], chunkDelayInMs = 0) =>
    wrapped(
      new MockLanguageModel({
        provider: 'mock',
        modelId: scene.script.model,
        doStream: async () => {
          scene.mark('model');
          const chunks = [{ type: 'stream-start', warnings: [] }, { type: 'text-start', id: 't' }, ...parts];
          return { stream: simulateReadableStream({ chunkDelayInMs, chunks: chunks as never[] }) };
        },
      }),
    );
  const deltas = (count: number) => Array.from({ length: count }, () => ({ type: 'text-delta', id: 't', delta: 'w' }));

  const tools = (
    scene: Scene,
    execute: (city: string, id: string) => unknown = () => scene.script.result,
    needsApproval = false,
  ) => ({
    weather: tool({
      ...(isVersion6 && needsApproval ? { needsApproval } : {}),
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }, { toolCallId }) => {
        await sleep(1);
        scene.mark('tool', toolCallId);
        return (await execute(city, toolCallId)) as object;
      },
    }),
  });

  const weather = (scene: Scene, id = 'call_1', args: object = scene.script.args) => call(id, scene.script.tool, args);
  const end = (scene: Scene): Content => [text(scene.script.answer)];

  async function generate(scene: Scene, steps: readonly (Content | Error)[], execute?: Parameters<typeof tools>[1]) {
    const options = { model: model(scene, steps), tools: tools(scene, execute), stopWhen: isStepCount(4) };
    return (await generateText({ ...options, prompt: scene.script.prompt })).text;
  }

  const ask = async (scene: Scene) => {
    const result = await generateText({
      model: model(scene, [[weather(scene)]]),
      tools: tools(scene, undefined, true),
      ...asksPerson,
      prompt: scene.script.prompt,
    });
    return [{ role: 'user' as const, content: scene.script.prompt }, ...result.response.messages];
  };
  const answer = async (scene: Scene, stored: Awaited<ReturnType<typeof ask>>, approved: boolean) => {
    const parts = stored.flatMap(({ content }): unknown => content) as { type?: string; approvalId?: string }[];
    const approvalId = parts.find(({ type }) => type === 'tool-approval-request')?.approvalId as string;
    const response = { type: 'tool-approval-response' as const, approvalId, approved };
    const resumed = await generateText({
      model: model(scene, [end(scene)]),
      tools: tools(scene, undefined, true),
      ...asksPerson,
      messages: [...stored, { role: 'tool', content: [response] }],
      stopWhen: isStepCount(4),
    });
    return resumed.text;
  };

  return {
    name,
    createObserver: createTestObserver,
    install: (observer) => instrumentAiSdk({ observer, onWarning: () => {} }),
    approvals: 'next turn',
    skip: { handoff: 'the AI SDK has none', ...skip },
    play: without(skip, {
      plainTurn: (scene) => generate(scene, [end(scene)]),
      twoSteps: (scene) => generate(scene, [[weather(scene)], end(scene)]),
      parallelTools: (scene) =>
        generate(scene, [[weather(scene), weather(scene, 'call_2', scene.script.otherArgs)], end(scene)], (_, id) =>
          sleep(id === 'call_1' ? 20 : 1).then(() => scene.script.result),
        ),
      toolError: (scene) => generate(scene, [[weather(scene, 'call_1', { town: 1 })], end(scene)]),
      toolThrows: (scene) =>
        generate(scene, [[weather(scene)], end(scene)], () => {
          throw new RangeError('no such city');
        }),
      retry: (scene) =>
        generate(scene, [
          new APICallError({
            message: 'overloaded',
            url: 'https://model.invalid',
            requestBodyValues: {},
            statusCode: 503,
            responseHeaders: { 'retry-after-ms': '1' },
          }),
          end(scene),
        ]),
      stream: async (scene) => {
        const finish = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage };
        const parts = [...deltas(3), { type: 'text-end', id: 't' }, finish];
        const { textStream } = streamText({ model: streamed(scene, parts), prompt: scene.script.prompt });
        let all = '';
        for await (const delta of textStream) all += delta;
        return all;
      },
      streamDies: async (scene) => {
        const parts = [...deltas(1), { type: 'error', error: new Error('socket hang up') }];
        const errors: unknown[] = [];
        const onError = ({ error }: { error: unknown }) => void errors.push(String(error));
        const { textStream } = streamText({ model: streamed(scene, parts), prompt: scene.script.prompt, onError });
        let all = '';
        for await (const delta of textStream) all += delta;
        return { all, errors };
      },
      abort: async (scene) => {
        const controller = new AbortController();
        const { textStream } = streamText({
          model: streamed(scene, deltas(50), 2),
          prompt: scene.script.prompt,
          abortSignal: controller.signal,
        });
        let read = 0;
        for await (const _ of textStream) if (++read === 3) controller.abort();
        return read >= 3;
      },
      nestedAgent: async (scene) => {
        const child = new ToolLoopAgent({
          model: model(scene, [end(scene)], scene.script.childModel),
          ...telemetryOf(scene.script.child),
        });
        const delegate = tool({
          inputSchema: z.object({ goal: z.string() }),
          execute: async ({ goal }) => (await child.generate({ prompt: goal })).text,
        });
        const steps = [[call('call_1', 'delegate', { goal: 'dig' })], end(scene)];
        const options = { model: model(scene, steps), tools: { delegate }, stopWhen: isStepCount(4) };
        return (await generateText({ ...options, prompt: scene.script.prompt })).text;
      },
      approvalGranted: async (scene) => answer(scene, await ask(scene), true),
      approvalDenied: async (scene) => answer(scene, await ask(scene), false),
      approvalResumed: { ask, resume: (scene, stored) => answer(scene, stored as never, true) },
    }),
  };
}

/** What AI SDK 6 tells of in no way, unless the model is wrapped. */
export const UNSEEN_IN_6: NonNullable<Differences['skip']> = {
  retry: 'attempts of a model that is not wrapped are seen by HTTP, which a mock has not',
  stream: 'parts of a model that is not wrapped are not seen',
  abort: 'the same',
};

const without = (skip: object, play: TriedAdapter<Observer>['play']): typeof play =>
  Object.fromEntries(Object.entries(play).filter(([behaviour]) => !(behaviour in skip)));
