import type { PlayScene, TriedAdapter } from '@hermes-observer/core/testing';
import type { createObserver, Observer } from '@hermes-observer/otel';
import type * as Models from '@langchain/core/language_models/chat_models';
import type * as Messages from '@langchain/core/messages';
import type * as Outputs from '@langchain/core/outputs';
import type * as LangGraph from '@langchain/langgraph';
import type * as LangChain from 'langchain';
import { z } from 'zod';
import { instrumentLangChain } from './instrument.js';

type Scene = PlayScene<Observer>;
type Call = Messages.AIMessage['tool_calls'] extends (infer T)[] | undefined ? T : never;
type Step = Messages.AIMessage | Error;

/** One version of the framework. */
export interface Framework {
  readonly models: typeof Models;
  readonly messages: typeof Messages;
  readonly outputs: typeof Outputs;
  readonly langgraph: typeof LangGraph;
  readonly langchain: typeof LangChain;
}

const usage_metadata = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis));
const config = (id: string) => ({ configurable: { thread_id: id } });

let threads = 0;

/** The behaviours as agents of one version of LangChain and LangGraph, with models that answer by a script. */
export function playsOf(
  name: string,
  { models, messages, outputs, langgraph, langchain }: Framework,
  createTestObserver: typeof createObserver,
): TriedAdapter<Observer> {
  const { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } = messages;
  const { MemorySaver, Command, StateGraph, MessagesAnnotation, START } = langgraph;
  const { createAgent, humanInTheLoopMiddleware, tool } = langchain;

  interface Script {
    readonly steps?: readonly Step[];
    readonly chunks?: number;
    readonly delay?: number;
    readonly breaks?: Error;
    readonly model?: string;
  }

  class ScriptedModel extends models.BaseChatModel {
    readonly scene: Scene;
    readonly script: Script;
    step = 0;

    constructor(scene: Scene, script: Script) {
      super({});
      this.scene = scene;
      this.script = script;
    }

    _llmType(): string {
      return 'scripted';
    }

    override getLsParams(): never {
      const ls_model_name = this.script.model ?? this.scene.script.model;
      return { ls_provider: 'mock', ls_model_name, ls_model_type: 'chat' } as never;
    }

    override bindTools(): never {
      return this as never;
    }

    async _generate(): Promise<Outputs.ChatResult> {
      await sleep(1);
      this.scene.mark('model');
      const { steps = [] } = this.script;
      const message = steps[Math.min(this.step++, steps.length - 1)] as Step;
      if (message instanceof Error) throw message;
      return { generations: [{ text: String(message.content), message }] };
    }
  }

  class StreamingModel extends ScriptedModel {
    override async *_streamResponseChunks(
      _messages: unknown,
      { signal }: { signal?: AbortSignal },
      runManager?: { handleLLMNewToken(...args: unknown[]): Promise<void> },
    ): AsyncGenerator<Outputs.ChatGenerationChunk> {
      this.scene.mark('model');
      const { chunks = 0, delay = 0, breaks } = this.script;
      for (let i = 0; i <= chunks; i++) {
        await sleep(delay);
        signal?.throwIfAborted();
        const isLast = i === chunks;
        if (isLast && breaks !== undefined) throw breaks;
        const message = new AIMessageChunk(
          (isLast
            ? { content: '', usage_metadata, response_metadata: { finish_reason: 'stop' } }
            : { content: 'word ' }) as never,
        );
        const chunk = new outputs.ChatGenerationChunk({ text: isLast ? '' : 'word ', message });
        yield chunk;
        await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
      }
    }
  }

  const call = (id: string, toolName: string, args: object): Call =>
    ({ id, name: toolName, args, type: 'tool_call' }) as Call;
  const asks = (...tool_calls: Call[]) =>
    new AIMessage({
      content: '',
      tool_calls,
      usage_metadata,
      response_metadata: { finish_reason: 'tool_calls' },
    } as never);
  const answers = (scene: Scene) =>
    new AIMessage({
      content: scene.script.answer,
      usage_metadata,
      response_metadata: { finish_reason: 'stop', model_name: 'test-model-2026' },
    } as never);
  const weather = (scene: Scene, id = 'call_1', args: object = scene.script.args) => call(id, scene.script.tool, args);
  const question = (scene: Scene) => ({ messages: [new HumanMessage(scene.script.prompt)] });
  const schema = z.object({ city: z.string() });

  const weatherTool = (scene: Scene, execute: (id: string) => unknown = () => scene.script.result) =>
    tool(
      async (_args: z.infer<typeof schema>, { toolCall }: { toolCall?: { id?: string } }) => {
        await sleep(1);
        const id = toolCall?.id ?? '';
        scene.mark('tool', id);
        return JSON.stringify(await execute(id));
      },
      { name: scene.script.tool, description: 'The weather.', schema } as never,
    );

  const result = ({ messages: all }: { messages: readonly Messages.BaseMessage[] }) =>
    // Refused arguments come with a stack, which has the timers of the moment in it.
    all.map(({ content, type }) => ({ type, content: String(content).replace(/\n +at .*/g, '') }));

  const run = async (scene: Scene, steps: readonly Step[], execute?: (id: string) => unknown) => {
    const agent = createAgent({ model: new ScriptedModel(scene, { steps }), tools: [weatherTool(scene, execute)] });
    return result((await agent.invoke(question(scene))) as never);
  };

  const asking = (scene: Scene, steps: readonly Step[], checkpointer: InstanceType<typeof MemorySaver>) =>
    createAgent({
      model: new ScriptedModel(scene, { steps }),
      tools: [weatherTool(scene)],
      checkpointer,
      middleware: [humanInTheLoopMiddleware({ interruptOn: { [scene.script.tool]: true } } as never)],
    } as never);
  const decide = (type: string) => new Command({ resume: { decisions: [{ type }] } });
  const decided = (type: string) => async (scene: Scene) => {
    const agent = asking(scene, [asks(weather(scene)), answers(scene)], new MemorySaver());
    const thread = config(`thread-${++threads}`);
    const first = (await agent.invoke(question(scene), thread)) as { __interrupt__?: unknown[] };
    const last = await agent.invoke(decide(type) as never, thread);
    return [first.__interrupt__?.length, result(last as never)];
  };

  const streamed = async (
    scene: Scene,
    script: Script,
    read: (text: string, index: number) => void,
    signal?: AbortSignal,
  ) => {
    const agent = createAgent({ model: new StreamingModel(scene, script), tools: [] });
    const stream = await agent.stream(question(scene), { streamMode: 'messages', signal } as never);
    let index = 0;
    for await (const [chunk] of stream as AsyncIterable<[Messages.BaseMessage]>) read(String(chunk.content), index++);
  };

  return {
    name,
    createObserver: createTestObserver,
    install: (observer) => instrumentLangChain({ observer, onWarning: () => {} }),
    approvals: 'next turn',
    play: {
      plainTurn: (scene) => run(scene, [answers(scene)]),
      twoSteps: (scene) => run(scene, [asks(weather(scene)), answers(scene)]),
      parallelTools: (scene) =>
        run(
          scene,
          [asks(weather(scene), weather(scene, 'call_2', scene.script.otherArgs)), answers(scene)],
          async (id) => {
            await sleep(id === 'call_1' ? 20 : 1);
            return scene.script.result;
          },
        ),
      toolError: (scene) => run(scene, [asks(weather(scene, 'call_1', { town: 1 })), answers(scene)]),
      toolThrows: async (scene) => {
        // Not all versions tell the model by themselves.
        const tells = langchain.createMiddleware({
          name: 'tells',
          wrapToolCall: async (request, handler) => {
            try {
              return await handler(request);
            } catch (error) {
              const tool_call_id = request.toolCall.id as string;
              return new ToolMessage({ content: String(error), tool_call_id, status: 'error' }) as never;
            }
          },
        });
        const throws = weatherTool(scene, () => {
          throw new RangeError('no such city');
        });
        const model = new ScriptedModel(scene, { steps: [asks(weather(scene)), answers(scene)] });
        const agent = createAgent({ model, tools: [throws], middleware: [tells] } as never);
        return result((await agent.invoke(question(scene))) as never);
      },
      retry: async (scene) => {
        const steps = [Object.assign(new Error('overloaded'), { status: 503 }), answers(scene)];
        const model = new ScriptedModel(scene, { steps }).withRetry({ stopAfterAttempt: 2 });
        const graph = new StateGraph(MessagesAnnotation)
          .addNode('model', async (state) => ({ messages: [await model.invoke(state.messages)] }))
          .addEdge(START, 'model')
          .compile();
        return result(await graph.invoke(question(scene)));
      },
      stream: async (scene) => {
        let all = '';
        await streamed(scene, { chunks: 3 }, (text) => {
          all += text;
        });
        return all;
      },
      streamDies: async (scene) => {
        let all = '';
        const breaks = new Error('socket hang up');
        const add = (text: string) => {
          all += text;
        };
        await streamed(scene, { chunks: 1, breaks }, add).catch((error: unknown) => {
          all += error;
        });
        return all;
      },
      abort: async (scene) => {
        const controller = new AbortController();
        let read = 0;
        const look = () => {
          if (++read === 3) controller.abort();
        };
        const error = await streamed(scene, { chunks: 50, delay: 2 }, look, controller.signal).catch(
          (thrown: unknown) => thrown,
        );
        await sleep(20);
        return [read >= 3, (error as Error | undefined)?.name];
      },
      nestedAgent: async (scene) => {
        const { child, childModel, delegate } = scene.script;
        const model = new ScriptedModel(scene, { steps: [answers(scene)], model: childModel });
        const researcher = createAgent({ name: child, model, tools: [] });
        const delegates = tool(
          async ({ goal }: { goal: string }) => {
            const { messages: all } = await researcher.invoke({ messages: [new HumanMessage(goal)] });
            return all.at(-1)?.content as string;
          },
          { name: delegate, description: 'Delegates.', schema: z.object({ goal: z.string() }) } as never,
        );
        const steps = [asks(call('call_1', delegate, { goal: 'dig' })), answers(scene)];
        const agent = createAgent({ model: new ScriptedModel(scene, { steps }), tools: [delegates] });
        return result((await agent.invoke(question(scene))) as never);
      },
      approvalGranted: decided('approve'),
      approvalDenied: decided('reject'),
      approvalResumed: {
        ask: async (scene) => {
          const saver = new MemorySaver();
          await asking(scene, [asks(weather(scene))], saver).invoke(question(scene), config('stored'));
          return storedOf(saver);
        },
        resume: async (scene, stored) => {
          const saver = restored(new MemorySaver(), stored);
          const agent = asking(scene, [answers(scene)], saver);
          return result((await agent.invoke(decide('approve') as never, config('stored'))) as never);
        },
      },
      handoff: async (scene) => {
        const { child, childModel } = scene.script;
        const first = new ScriptedModel(scene, { steps: [asks(call('call_1', 'transfer', {}))] });
        const model = new ScriptedModel(scene, { steps: [answers(scene)], model: childModel });
        const researcher = createAgent({ name: child, model, tools: [] });
        const graph = new StateGraph(MessagesAnnotation)
          .addNode(
            'front',
            async (state) => {
              const message = (await first.invoke(state.messages)) as Messages.AIMessage;
              const transferred = new ToolMessage({ content: 'transferred', tool_call_id: 'call_1' });
              return new Command({ goto: child, update: { messages: [message, transferred] } });
            },
            { ends: [child] },
          )
          .addNode(child, researcher.graph as never)
          .addEdge(START, 'front')
          .compile();
        return result((await graph.invoke(question(scene))) as never);
      },
    },
  };
}

/** What a checkpointer keeps, as it would be stored. */
function storedOf({ storage, writes }: InstanceType<typeof LangGraph.MemorySaver>) {
  const bytes = (_: string, value: unknown) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;
  return { storedId: Buffer.from(JSON.stringify({ storage, writes }, bytes)).toString('base64') };
}

function restored<T extends InstanceType<typeof LangGraph.MemorySaver>>(saver: T, stored: unknown): T {
  const bytes = (_: string, value: unknown) => {
    const base64 = (value as { base64?: string } | null)?.base64;
    return base64 === undefined ? value : new Uint8Array(Buffer.from(base64, 'base64'));
  };
  const text = Buffer.from((stored as { storedId: string }).storedId, 'base64').toString();
  return Object.assign(saver, JSON.parse(text, bytes));
}
