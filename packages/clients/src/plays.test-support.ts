import type { PlayScene, TriedAdapter } from '@hermes-observer/core/testing';
import type { createObserver, Observer } from '@hermes-observer/otel';
import type { AskedCall, Dialect } from './dialects.test-support.js';
import { withApproval, withTool, withTurn } from './index.js';
import { type LoopbackServer, unavailable } from './loopback-server.test-support.js';

type Scene = PlayScene<Observer>;
type Execute = (call: AskedCall) => unknown;

const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis));

/** The behaviours as agents that are a loop by hand around one of the clients, with a loopback server. */
export function playsOf(
  dialect: Dialect,
  server: LoopbackServer,
  createTestObserver: typeof createObserver,
): TriedAdapter<Observer> {
  const weather = (scene: Scene, id = 'call_1', args: object = scene.script.args): AskedCall => ({
    id,
    name: scene.script.tool,
    args: args as Record<string, unknown>,
  });
  const first = (scene: Scene) => ({ role: 'user', content: scene.script.prompt });

  /** Runs the calls of an answer at once, and gives what is to be said next. */
  async function runCalls(scene: Scene, calls: readonly AskedCall[], execute: Execute): Promise<object[]> {
    const results = calls.map(async (call) => {
      const { id, name, args } = call;
      try {
        const result = await withTool({ name, callId: id, args }, async () => {
          await sleep(1);
          if (name !== scene.script.delegate) scene.mark('tool', id);
          return execute(call);
        });
        return { id, result };
      } catch (error) {
        return { id, result: String(error) };
      }
    });
    return dialect.results(await Promise.all(results));
  }

  async function loop(
    scene: Scene,
    execute: Execute = () => scene.script.result,
    {
      model = scene.script.model as string,
      agentName = undefined as string | undefined,
      messages = [first(scene)] as object[],
    } = {},
  ): Promise<string> {
    return withTurn({ agentName, userMessage: scene.script.prompt, model }, async () => {
      for (;;) {
        const { text, calls, message } = await dialect.ask(server.url, scene, messages, model);
        if (calls.length === 0) return text;
        messages.push(message, ...(await runCalls(scene, calls, execute)));
      }
    });
  }

  const steps = (scene: Scene, calls: readonly AskedCall[], execute?: Execute) => {
    server.answers(dialect.answer(null, calls), dialect.answer(scene.script.answer));
    return loop(scene, execute);
  };

  const child = (scene: Scene) =>
    loop(scene, undefined, { model: scene.script.childModel, agentName: scene.script.child });

  const decided = (scene: Scene, choice: 'once' | 'deny') =>
    steps(scene, [weather(scene)], async () =>
      (await withApproval({ command: 'weather Oslo' }, () => choice)) === 'deny' ? 'denied' : scene.script.result,
    );

  async function readAll(stream: AsyncIterable<unknown>): Promise<unknown[]> {
    const all: unknown[] = [];
    for await (const piece of stream) all.push(piece);
    return all;
  }

  return {
    name: dialect.name,
    createObserver: createTestObserver,
    install: dialect.instrument,
    approvals: 'same turn',
    play: {
      plainTurn: async (scene) => {
        server.answers(dialect.answer(scene.script.answer));
        return (await dialect.ask(server.url, scene, [first(scene)], scene.script.model)).text;
      },
      twoSteps: (scene) => steps(scene, [weather(scene)]),
      parallelTools: (scene) =>
        steps(scene, [weather(scene), weather(scene, 'call_2', scene.script.otherArgs)], async ({ id }) => {
          await sleep(id === 'call_1' ? 20 : 1);
          return scene.script.result;
        }),
      toolError: (scene) =>
        steps(scene, [weather(scene, 'call_1', { town: 1 })], ({ args }) =>
          args.city === undefined ? { isError: true, content: 'no city' } : scene.script.result,
        ),
      toolThrows: (scene) =>
        steps(scene, [weather(scene)], () => {
          throw new RangeError('no such city');
        }),
      retry: async (scene) => {
        server.answers(unavailable(), dialect.answer(scene.script.answer));
        return (await dialect.ask(server.url, scene, [first(scene)], scene.script.model)).text;
      },
      stream: async (scene) => {
        server.answers(dialect.streamed(scene.script.model, 3));
        return readAll(dialect.stream(server.url, scene));
      },
      streamDies: async (scene) => {
        server.answers(dialect.streamed(scene.script.model, 1, { breaks: true }));
        return readAll(dialect.stream(server.url, scene));
      },
      abort: async (scene) => {
        server.answers(dialect.streamed(scene.script.model, 50, { delay: 2 }));
        const controller = new AbortController();
        return withTurn({ signal: controller.signal }, async () => {
          let read = 0;
          for await (const _ of dialect.stream(server.url, scene, controller.signal)) {
            if (++read === 3) controller.abort();
          }
          return read >= 3;
        });
      },
      nestedAgent: async (scene) => {
        const { script } = scene;
        const call = { id: 'call_1', name: script.delegate, args: { goal: 'dig' } };
        server.answers(dialect.answer(null, [call]), dialect.answer(script.answer));
        return loop(scene, () => child(scene));
      },
      approvalGranted: (scene) => decided(scene, 'once'),
      approvalDenied: (scene) => decided(scene, 'deny'),
      approvalResumed: {
        ask: (scene) => {
          server.answers(dialect.answer(null, [weather(scene)]));
          return withTurn({ userMessage: scene.script.prompt }, async () => {
            const said = await dialect.ask(server.url, scene, [first(scene)], scene.script.model);
            for (const { id, name } of said.calls) await withApproval({ callId: id, name }, () => 'pending');
            return { messages: [first(scene), said.message], calls: said.calls };
          });
        },
        resume: (scene, stored) => {
          const { messages, calls } = stored as { messages: object[]; calls: AskedCall[] };
          server.answers(dialect.answer(scene.script.answer));
          return withTurn({}, async () => {
            const results = await runCalls(scene, calls, async () => {
              await withApproval({}, () => 'once');
              return scene.script.result;
            });
            return (await dialect.ask(server.url, scene, [...messages, ...results], scene.script.model)).text;
          });
        },
      },
      handoff: (scene) => {
        const call = { id: 'call_1', name: 'transfer_to_researcher', args: {} };
        server.answers(dialect.answer(null, [call]), dialect.answer(scene.script.answer));
        return withTurn({ userMessage: scene.script.prompt }, async () => {
          await dialect.ask(server.url, scene, [first(scene)], scene.script.model);
          return child(scene);
        });
      },
    },
  };
}
