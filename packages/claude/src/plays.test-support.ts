import type { PlayScene, TriedAdapter } from '@hermes-observer/core/testing';
import type { createObserver, Observer } from '@hermes-observer/otel';
import { z } from 'zod';
import { observedQuery } from './observe.js';
import type { Block, Fields, ModelAnswer, ModelScript, Query, Sdk, Stage } from './stage.test-support.js';

type Scene = PlayScene<Observer>;

const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis));
const TOOL = 'mcp__kit__weather';

export const say = (text: string, more: Partial<ModelAnswer> = {}): ModelAnswer => ({
  blocks: [{ type: 'text', text }],
  ...more,
});
export const use = (...blocks: Block[]): ModelAnswer => ({ blocks });
export const call = (id: string, input: object, name: string = TOOL): Block => ({ type: 'tool_use', id, name, input });

/** The others come in an order of their own. */
const SEEN = new Set(['assistant', 'user', 'result', 'stream_event']);

/** Messages as a program may see them: their kinds, and the last word. */
export async function read(query: Query, each: (message: Fields, count: number) => void = () => {}): Promise<unknown> {
  const kinds: string[] = [];
  let result: unknown;
  try {
    for await (const message of query) {
      const { type, subtype } = message;
      if (SEEN.has(String(type)) || subtype === 'status') kinds.push(String(subtype ?? type));
      each(message, kinds.length);
      if (type === 'result') result = message.result;
    }
  } catch (error) {
    return { kinds, result, error: String(error) };
  }
  return { kinds, result };
}

export function weatherServer(
  sdk: Sdk,
  scene: Pick<Scene, 'mark'>,
  execute: (city: unknown, id: string) => unknown,
): unknown {
  const weather = sdk.tool(
    'weather',
    'Tells the weather.',
    { city: z.string() },
    async ({ city }, { _meta }) => {
      const id = String((_meta as Fields)['claudecode/toolUseId']);
      await sleep(1);
      scene.mark('tool', id);
      const result = await execute(city, id);
      return typeof result === 'string'
        ? { isError: true, content: [{ type: 'text', text: result }] }
        : { content: [{ type: 'text', text: JSON.stringify(result) }] };
    },
    { annotations: { readOnlyHint: true } },
  );
  // It is there before the turn begins, or goes on.
  return sdk.createSdkMcpServer({ name: 'kit', tools: [weather], alwaysLoad: true });
}

/** The behaviours as agents of the SDK on a stage. */
export function playsOf(
  version: string,
  stage: Stage,
  createTestObserver: typeof createObserver,
): TriedAdapter<Observer> {
  let observed: <Q extends Sdk['query']>(query: Q) => Q = (query) => query;

  /** Opens the stage, plays, and closes it. */
  const on = async (play: string, script: ModelScript, act: (sdk: Sdk, options: Fields) => Promise<unknown>) => {
    const { sdk, options, close } = await stage.open(play, script);
    try {
      return await act({ ...sdk, query: observed(sdk.query) }, options);
    } finally {
      await close();
    }
  };

  interface More {
    readonly execute?: (city: unknown, id: string) => unknown;
    readonly options?: Fields;
    readonly prompt?: string;
  }
  const generate = (
    scene: Scene,
    play: string,
    script: ModelScript,
    { execute = () => scene.script.result, options: more = {}, prompt = scene.script.prompt }: More = {},
  ) =>
    on(play, script, (sdk, options) =>
      read(
        sdk.query({
          prompt,
          options: {
            ...options,
            model: scene.script.model,
            mcpServers: { kit: weatherServer(sdk, scene, execute) },
            ...more,
          },
        }),
      ),
    );
  const allowed = { allowedTools: [TOOL] };
  const twoSteps = (scene: Scene, play: string, first: ModelAnswer, more: More) =>
    generate(scene, play, (_, asked) => (asked.includes('tool_result') ? say(scene.script.answer) : first), more);
  const weather = (scene: Scene) => use(call('call_1', scene.script.args));
  const asks = (behavior: 'allow' | 'deny') => ({
    canUseTool: async (_: string, input: Fields) =>
      behavior === 'allow' ? { behavior, updatedInput: input } : { behavior, message: 'no' },
  });
  const decides = (permissionDecision: string) => ({
    hooks: {
      PreToolUse: [
        { hooks: [async () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } })] },
      ],
    },
  });

  const isLowest = version.startsWith('0.3.142');
  return {
    name: `claude-agent-sdk ${version}`,
    createObserver: createTestObserver,
    install: (observer) => {
      observed = (query) => observedQuery(query, { observer, onWarning: () => {} });
      return () => {
        observed = (query) => query;
      };
    },
    approvals: 'same turn',
    streamsAlways: true,
    names: { weather: TOOL, delegate: 'Agent' },
    skip: {
      handoff: 'the SDK has none',
      ...(isLowest
        ? {
            approvalResumed:
              'this Claude Code gives up calls of tools in this process that were deferred: tool_deferred_unavailable',
          }
        : {}),
    },
    play: {
      plainTurn: (scene) => generate(scene, 'plain-turn', () => say(scene.script.answer)),
      twoSteps: (scene) => twoSteps(scene, 'two-steps', weather(scene), { options: allowed }),
      parallelTools: (scene) =>
        twoSteps(
          scene,
          'parallel-tools',
          use(call('call_1', scene.script.args), call('call_2', scene.script.otherArgs)),
          {
            options: allowed,
            execute: (_, id) => sleep(id === 'call_1' ? 60 : 1).then(() => scene.script.result),
          },
        ),
      toolError: (scene) =>
        twoSteps(scene, 'tool-error', weather(scene), { options: allowed, execute: () => 'no such city' }),
      toolThrows: (scene) =>
        twoSteps(scene, 'tool-throws', weather(scene), {
          options: allowed,
          execute: () => {
            throw new RangeError('no such city');
          },
        }),
      retry: (scene) =>
        generate(scene, 'retry', (_, __, attempt) => (attempt === 0 ? { status: 503 } : say(scene.script.answer))),
      stream: (scene) =>
        generate(scene, 'stream', () => say(scene.script.answer, { parts: 3 }), {
          options: { includePartialMessages: true },
        }),
      streamDies: (scene) => generate(scene, 'stream-dies', () => say(scene.script.answer, { parts: 3, breaks: true })),
      abort: (scene) =>
        on(
          'abort',
          () => say('w'.repeat(200), { parts: 200, pauseMillis: 10 }),
          async (sdk, options) => {
            const abortController = new AbortController();
            const own = { model: scene.script.model, includePartialMessages: true, abortController };
            let parts = 0;
            const end = await read(
              sdk.query({ prompt: scene.script.prompt, options: { ...options, ...own } }),
              ({ type }) => {
                if (type === 'stream_event' && ++parts === 5) abortController.abort();
              },
            );
            return { hasParts: parts >= 5, error: (end as { error?: string }).error };
          },
        ),
      nestedAgent: (scene) =>
        generate(
          scene,
          'nested-agent',
          ({ model }, asked) => {
            if (model === scene.script.childModel) return say(scene.script.answer);
            const input = {
              description: 'digs',
              prompt: 'dig',
              subagent_type: scene.script.child,
              run_in_background: false,
            };
            return asked.includes('tool_result') ? say(scene.script.answer) : use(call('call_1', input, 'Agent'));
          },
          {
            options: {
              allowedTools: ['Agent'],
              agents: {
                [scene.script.child]: { description: 'digs', prompt: 'You dig.', model: scene.script.childModel },
              },
            },
          },
        ),
      approvalGranted: (scene) => twoSteps(scene, 'approval-granted', weather(scene), { options: asks('allow') }),
      approvalDenied: (scene) => twoSteps(scene, 'approval-denied', weather(scene), { options: asks('deny') }),
      ...(isLowest
        ? {}
        : {
            approvalResumed: {
              ask: (scene) =>
                on(
                  'approval-asked',
                  () => weather(scene),
                  async (sdk, options) => {
                    let sessionId: unknown;
                    const kit = weatherServer(sdk, scene, () => scene.script.result);
                    const own = { model: scene.script.model, mcpServers: { kit }, ...decides('defer') };
                    await read(
                      sdk.query({ prompt: scene.script.prompt, options: { ...options, ...own } }),
                      (message) => {
                        sessionId = message.session_id;
                      },
                    );
                    return { sessionId };
                  },
                ),
              resume: (scene, stored) => {
                const { sessionId: resume } = (stored as { sessionId?: string } | undefined) ?? {};
                return twoSteps(scene, 'approval-resumed', weather(scene), {
                  prompt: '',
                  options: { resume, ...decides('allow') },
                });
              },
            },
          }),
    },
  };
}
