import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PlayScene, TriedAdapter } from '@hermes-observer/core/testing';
import type { createObserver, Observer } from '@hermes-observer/otel';
import type * as Agents from '@openai/agents';
import { z } from 'zod';
import { instrumentOpenAIAgents } from './instrument.js';

type Scene = PlayScene<Observer>;
type Output = Agents.AgentOutputItem[];
type Step = Output | Error;

const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis));
const call = (callId: string, name: string, args: object): Output[number] => ({
  type: 'function_call',
  callId,
  name,
  arguments: JSON.stringify(args),
  status: 'completed',
});
const text = (value: string): Output[number] => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: value }],
});

/** Gives a client for the server at this address. */
export type ClientOf = (baseURL: string) => ConstructorParameters<typeof Agents.OpenAIResponsesModel>[0];

/**
 * The behaviours as agents of one version of the SDK, on a model that answers from a script. Where `clientOf` is given, it is
 * the client of a model that tries again: versions before 0.7.0 have no retries of their own.
 */
export function playsOf(
  name: string,
  agents: typeof Agents,
  createTestObserver: typeof createObserver,
  clientOf?: ClientOf,
): TriedAdapter<Observer> {
  const { Agent, Runner, RunState, OpenAIResponsesModel, Usage, tool } = agents;
  const usage = () => new Usage({ requests: 1, inputTokens: 10, outputTokens: 5, totalTokens: 15 });

  const model = (scene: Scene, steps: readonly Step[]): Agents.Model => {
    let step = 0;
    return {
      async getResponse() {
        scene.mark('model');
        await sleep(0);
        scene.mark('model');
        const output = steps[Math.min(step++, steps.length - 1)] as Step;
        if (output instanceof Error) throw output;
        return { usage: usage(), output };
      },
      getStreamedResponse() {
        throw new Error('not streamed');
      },
    };
  };

  const streamed = (scene: Scene, deltas: number, end?: Error): Agents.Model => ({
    async getResponse() {
      throw new Error('streamed');
    },
    async *getStreamedResponse({ signal }) {
      scene.mark('model');
      yield { type: 'response_started' };
      for (let i = 0; i < deltas; i++) {
        yield { type: 'output_text_delta', delta: 'w' };
        await sleep(2);
        // Some versions end the run when it is aborted, before its model knows.
        if (signal?.aborted) throw signal.reason;
        scene.mark('model');
      }
      if (end !== undefined) throw end;
      const counted = { requests: 1, inputTokens: 10, outputTokens: 5, totalTokens: 15 };
      const output = [text(scene.script.answer)] as never;
      yield { type: 'response_done', response: { id: 'response', usage: counted, output } };
    },
  });

  const runner = (models: Record<string, Agents.Model>) =>
    new Runner({ modelProvider: { getModel: async (modelName) => models[modelName ?? ''] as Agents.Model } });

  const weather = (
    scene: Scene,
    execute: (city: string, id: string) => unknown = () => scene.script.result,
    needsApproval = false,
  ) =>
    tool({
      name: scene.script.tool,
      description: 'The weather of a city',
      parameters: z.object({ city: z.string() }),
      needsApproval,
      execute: async ({ city }, _, details) => {
        const id = details?.toolCall?.callId as string;
        await sleep(1);
        scene.mark('tool', id);
        return execute(city, id);
      },
    });
  const asks = (scene: Scene, id = 'call_1', args: object = scene.script.args) => [call(id, scene.script.tool, args)];
  const end = (scene: Scene): Output => [text(scene.script.answer)];

  async function run(scene: Scene, steps: readonly Step[], execute?: Parameters<typeof weather>[1]) {
    const agent = new Agent({
      name: 'planner',
      model: scene.script.model,
      tools: [weather(scene, execute)],
      modelSettings: { retry: { maxRetries: 1, policy: () => true, backoff: { initialDelayMs: 1 } } } as never,
    });
    const result = await runner({ [scene.script.model]: model(scene, steps) }).run(agent, scene.script.prompt);
    return { output: result.finalOutput, items: result.newItems.map(({ type }) => type), history: result.history };
  }

  const asker = (scene: Scene) =>
    new Agent({ name: 'planner', model: scene.script.model, tools: [weather(scene, undefined, true)] });
  const ask = async (scene: Scene) => {
    const models = { [scene.script.model]: model(scene, [asks(scene)]) };
    return await runner(models).run(asker(scene), scene.script.prompt);
  };
  const answer = async (scene: Scene, state: Agents.RunState<never, never>, approved: boolean) => {
    for (const question of state.getInterruptions()) {
      if (approved) state.approve(question);
      else state.reject(question);
    }
    const models = { [scene.script.model]: model(scene, [end(scene)]) };
    const result = await runner(models).run(asker(scene), state as never);
    return result.finalOutput;
  };

  /** The client of a model gets 503, and tries again. */
  async function retryOfClient(scene: Scene, client: ClientOf) {
    let requests = 0;
    const server = createServer((request, response) => {
      request.resume();
      response.setHeader('content-type', 'application/json');
      if (requests++ === 0) {
        response.writeHead(503, { 'retry-after-ms': '1' }).end('{"error":{"message":"overloaded"}}');
        return;
      }
      const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
      const content = [{ type: 'output_text', text: scene.script.answer, annotations: [] }];
      const output = [{ type: 'message', id: 'm', role: 'assistant', status: 'completed', content }];
      const body = { id: 'r', object: 'response', model: scene.script.model, status: 'completed', output, usage };
      response.end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const asked = new OpenAIResponsesModel(client(`http://127.0.0.1:${port}/v1`), scene.script.model);
      const agent = new Agent({ name: 'planner', model: scene.script.model });
      const result = await runner({ [scene.script.model]: asked }).run(agent, scene.script.prompt);
      return { output: result.finalOutput, requests };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  async function stream(scene: Scene, asked: Agents.Model, read: (event: string) => void, signal?: AbortSignal) {
    const agent = new Agent({ name: 'planner', model: scene.script.model });
    const result = await runner({ [scene.script.model]: asked }).run(agent, scene.script.prompt, {
      stream: true,
      ...(signal === undefined ? {} : { signal }),
    });
    for await (const event of result) {
      if (event.type === 'raw_model_stream_event') read(event.data.type);
    }
    await result.completed;
    return signal === undefined ? result.finalOutput : undefined;
  }

  return {
    name,
    createObserver: createTestObserver,
    install: (observer) => instrumentOpenAIAgents({ agents, observer, onWarning: () => {} }),
    approvals: 'next turn',
    play: {
      plainTurn: (scene) => run(scene, [end(scene)]),
      twoSteps: (scene) => run(scene, [asks(scene), end(scene)]),
      parallelTools: (scene) =>
        run(scene, [[...asks(scene), ...asks(scene, 'call_2', scene.script.otherArgs)], end(scene)], (_, id) =>
          sleep(id === 'call_1' ? 20 : 1).then(() => scene.script.result),
        ),
      toolError: (scene) => run(scene, [asks(scene, 'call_1', { town: 1 }), end(scene)]),
      toolThrows: (scene) =>
        run(scene, [asks(scene), end(scene)], () => {
          throw new RangeError('no such city');
        }),
      retry: (scene) =>
        clientOf === undefined
          ? run(scene, [Object.assign(new Error('overloaded'), { status: 503 }), end(scene)])
          : retryOfClient(scene, clientOf),
      stream: async (scene) => {
        const events: string[] = [];
        const output = await stream(scene, streamed(scene, 3), (event) => events.push(event));
        return { output, events };
      },
      streamDies: async (scene) => {
        const events: string[] = [];
        try {
          await stream(scene, streamed(scene, 1, new Error('socket hang up')), (event) => events.push(event));
          return 'no error';
        } catch (error) {
          return { error: String(error) };
        }
      },
      abort: async (scene) => {
        const controller = new AbortController();
        let read = 0;
        const count = () => {
          if (++read === 3) controller.abort();
        };
        await stream(scene, streamed(scene, 50), count, controller.signal);
        return read >= 3;
      },
      nestedAgent: async (scene) => {
        const child = new Agent({ name: scene.script.child, model: scene.script.childModel });
        const models = {
          [scene.script.model]: model(scene, [[call('call_1', 'delegate', { input: 'dig' })], end(scene)]),
          [scene.script.childModel]: model(scene, [end(scene)]),
        };
        const one = runner(models);
        const delegate = tool({
          name: scene.script.delegate,
          description: 'Asks the researcher',
          parameters: z.object({ input: z.string() }),
          execute: async ({ input }) => (await one.run(child, input)).finalOutput,
        });
        const agent = new Agent({ name: 'planner', model: scene.script.model, tools: [delegate] });
        return (await one.run(agent, scene.script.prompt)).finalOutput;
      },
      approvalGranted: async (scene) => answer(scene, (await ask(scene)).state as never, true),
      approvalDenied: async (scene) => answer(scene, (await ask(scene)).state as never, false),
      approvalResumed: {
        ask: async (scene) => JSON.parse((await ask(scene)).state.toString()),
        resume: async (scene, stored) =>
          answer(scene, (await RunState.fromString(asker(scene), JSON.stringify(stored))) as never, true),
      },
      handoff: async (scene) => {
        const child = new Agent({ name: scene.script.child, model: scene.script.childModel });
        const models = {
          [scene.script.model]: model(scene, [[call('call_1', `transfer_to_${scene.script.child}`, {})]]),
          [scene.script.childModel]: model(scene, [end(scene)]),
        };
        const agent = new Agent({ name: 'planner', model: scene.script.model, handoffs: [child] });
        return (await runner(models).run(agent, scene.script.prompt)).finalOutput;
      },
    },
  };
}
