import { call, read, say, use, weatherServer } from './plays.test-support.js';
import type { Fields, ModelScript, Query, Sdk, Stage } from './stage.test-support.js';

type Wrapped = (query: Sdk['query']) => Sdk['query'];

interface More {
  readonly prompt?: (answered: () => Promise<void>) => AsyncIterable<unknown>;
  readonly execute?: () => unknown;
  readonly options?: Fields;
  readonly each?: (message: Fields, query: Query) => void;
}

const WEATHER = 'mcp__kit__weather';
const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis));
const noMarks = { mark: () => {} };
const agents = { researcher: { description: 'digs', prompt: 'You dig.', model: 'child-model' } };
const dig = (id: string, more: object = {}) =>
  call(id, { description: 'digs', prompt: `dig ${id}`, subagent_type: 'researcher', ...more }, 'Agent');
const once =
  (first: ReturnType<typeof use>): ModelScript =>
  (_, asked) =>
    asked.includes('tool_result') ? say('Sunny.') : first;
const userMessage = (content: string) => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  session_id: '',
});

/** Plays beyond the kit, by the name of their recording. */
export const MORE_PLAYS: Readonly<Record<string, { readonly script: ModelScript; readonly more?: More }>> = {
  'agent-in-background': {
    script: ({ model }, asked) => {
      if (model === 'child-model')
        return asked.includes('tool_result') ? say('Found.') : use(call('call_2', { city: 'Oslo' }));
      return asked.includes('task-notification') || asked.includes('tool_result') ? say('Sunny.') : use(dig('call_1'));
    },
    more: { options: { agents, allowedTools: ['Agent', WEATHER] } },
  },
  'parallel-agents': {
    script: ({ model }, asked) => {
      if (model === 'child-model')
        return say(asked.includes('dig call_1') ? 'One.' : 'Two.', { parts: 4, pauseMillis: 20 });
      if (asked.includes('tool_result')) return say('Sunny.');
      return use(dig('call_1', { run_in_background: false }), dig('call_2', { run_in_background: false }));
    },
    more: { options: { agents, allowedTools: ['Agent'] } },
  },
  'agent-with-tools': {
    script: ({ model }, asked) => {
      if (model === 'child-model')
        return asked.includes('tool_result') ? say('Found.') : use(call('call_2', { city: 'Oslo' }));
      return asked.includes('tool_result') ? say('Sunny.') : use(dig('call_1', { run_in_background: false }));
    },
    more: { options: { agents, allowedTools: ['Agent', WEATHER] } },
  },
  interrupt: {
    script: () => say('w'.repeat(200), { parts: 200, pauseMillis: 10 }),
    more: {
      options: { includePartialMessages: true },
      each: (message, query) => {
        if ((message.event as Fields | undefined)?.type === 'content_block_start') query.interrupt().catch(() => {});
      },
    },
  },
  'interrupt-in-tool': {
    script: once(use(call('call_1', { city: 'Oslo' }))),
    more: {
      execute: () => sleep(1_000).then(() => ({ temperature: 21 })),
      options: { allowedTools: [WEATHER] },
      each: (message, query) => {
        if (message.type === 'assistant') setTimeout(() => query.interrupt().catch(() => {}), 200);
      },
    },
  },
  'denied-by-hook': {
    script: once(use(call('call_1', { city: 'Oslo' }))),
    more: {
      options: {
        hooks: {
          PreToolUse: [
            {
              matcher: WEATHER,
              hooks: [
                async () => ({
                  hookSpecificOutput: {
                    hookEventName: 'PreToolUse',
                    permissionDecision: 'deny',
                    permissionDecisionReason: 'no',
                  },
                }),
              ],
            },
          ],
        },
      },
    },
  },
  'denied-by-nobody': {
    script: once(use(call('call_1', { city: 'Oslo' }))),
    more: { options: { permissionMode: 'dontAsk' } },
  },
  'unknown-tool': { script: once(use(call('call_1', { city: 'Oslo' }, 'Nope'))) },
  refused: { script: () => ({ status: 400 }) },
  'retries-in-vain': { script: () => ({ status: 529 }) },
  'two-turns': {
    script: () => say('Sunny.'),
    more: {
      prompt: async function* (answered) {
        yield userMessage('How is the weather?');
        await answered();
        yield userMessage('And tomorrow?');
        await answered();
      },
    },
  },
};

/** Plays one. Gives what the program sees, or what it throws. */
export async function playMore(stage: Stage, name: string, wrapped: Wrapped, own: Fields = {}): Promise<unknown> {
  const { script, more: { prompt, execute = () => ({ temperature: 21 }), options: more = {}, each } = {} } = MORE_PLAYS[
    name
  ] as (typeof MORE_PLAYS)[string];
  let wake = () => {};
  const answered = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const { sdk, options, close } = await stage.open(name, script);
  try {
    const query = wrapped(sdk.query)({
      prompt: prompt?.(answered) ?? 'How is the weather?',
      options: {
        ...options,
        model: 'test-model',
        mcpServers: { kit: weatherServer(sdk, noMarks, execute) },
        ...more,
        ...own,
      },
    });
    return await read(query, (message) => {
      if (message.type === 'result') wake();
      each?.(message, query);
    });
  } finally {
    await close();
  }
}
