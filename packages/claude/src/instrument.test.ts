import { withSession } from '@hermes-observer/adapter';
import { type EndedSpan, KeptSpans, spanTree } from '@hermes-observer/core/testing';
import { createObserver, type Observer } from '@hermes-observer/otel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MORE_PLAYS, playMore } from './more-plays.test-support.js';
import { instrumentClaude, observedQuery, withObserver } from './observe.js';
import type { ClaudeOptions } from './options.js';
import { type Line, replaySdk, replayStage } from './replay.test-support.js';
import type { Fields, Sdk } from './stage.test-support.js';

const VERSIONS = ['0.3.332', '0.3.142'];
const stageOf = (version: string) =>
  replayStage(new URL(`../../../conformance/claude/agent-sdk-${version}/`, import.meta.url));
const stage = stageOf('0.3.332');

let kept: KeptSpans;
let observer: Observer;
beforeEach(() => {
  kept = new KeptSpans();
  observer = createObserver({ exporters: [kept as never], agentName: 'agent', capture: 'full', env: {} });
});
afterEach(() => observer.shutdown());

const observed =
  (more: ClaudeOptions = {}) =>
  (query: Sdk['query']): Sdk['query'] =>
    observedQuery(query, { observer, ...more });
const tree = async () => {
  await observer.shutdown();
  return spanTree(kept.spans);
};
const named = (name: string): EndedSpan => {
  const span = kept.spans.find((one) => one.name === name);
  if (span === undefined) throw new Error(`no span ${name}`);
  return span;
};

const CALLS = '  chat test-model: tool_calls 10>5 streamed';
const ANSWERS = '  chat test-model: stop 10>5 streamed';
const turn = (...lines: string[]) => ['invoke_agent agent: completed', ...lines];
const agent = (...lines: string[]) => [
  '  execute_tool Agent: ok',
  '    invoke_agent researcher: completed',
  ...lines.map((line) => `      ${line}`),
];
const weatherAgent = (last: string) =>
  agent('chat child-model: tool_calls 10>undefined', 'execute_tool mcp__kit__weather: ok', last);

const TREES: Readonly<Record<string, (version: string) => string[]>> = {
  // Since 0.3.3xx an agent works in the background unless told otherwise: its end makes a turn of its own.
  'agent-in-background': (version) =>
    version === '0.3.142'
      ? turn(CALLS, ...weatherAgent('chat child-model: stop 10>5'), ANSWERS)
      : [...turn(CALLS, ...weatherAgent('chat child-model: stop 10>undefined'), ANSWERS), ...turn(ANSWERS)],
  'parallel-agents': () =>
    turn(CALLS, ...agent('chat child-model: stop 10>5'), ...agent('chat child-model: stop 10>5'), ANSWERS),
  'agent-with-tools': () => turn(CALLS, ...weatherAgent('chat child-model: stop 10>5'), ANSWERS),
  interrupt: () => ['invoke_agent agent: interrupted', '  chat test-model: cancelled streamed'],
  'interrupt-in-tool': () => ['invoke_agent agent: interrupted', CALLS, '  execute_tool mcp__kit__weather: cancelled'],
  'denied-by-hook': () => turn(CALLS, '  execute_tool mcp__kit__weather: blocked', ANSWERS),
  'denied-by-nobody': () => turn(CALLS, '  execute_tool mcp__kit__weather: blocked', ANSWERS),
  'unknown-tool': () => turn(CALLS, '  execute_tool Nope: error ERROR', ANSWERS),
  refused: () => ['invoke_agent agent: failed ERROR', '  chat test-model: x400 ERROR'],
  'retries-in-vain': () => ['invoke_agent agent: failed ERROR', '  chat test-model: x529 x529 x529 ERROR'],
  'two-turns': () => [...turn(ANSWERS), ...turn(ANSWERS)],
};

describe.each(VERSIONS)('recorded with %s', (version) => {
  it.each(Object.keys(MORE_PLAYS))('%s', async (name) => {
    const without = await playMore(stageOf(version), name, (query) => query);
    expect(await playMore(stageOf(version), name, observed())).toEqual(without);
    expect(await tree()).toEqual(TREES[name]?.(version));
  });
});

it('turns of a query are those of a session, and linked', async () => {
  await playMore(stage, 'two-turns', observed());
  await tree();
  const turns = kept.spans.filter(({ name }) => name.startsWith('invoke_agent'));
  const [first, second] = turns.map(({ attributes }) => attributes);
  expect(first?.['gen_ai.conversation.id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(second?.['gen_ai.conversation.id']).toBe(first?.['gen_ai.conversation.id']);
  expect(JSON.stringify(second?.['gen_ai.input.messages'])).toContain('And tomorrow?');
  expect(JSON.stringify(turns.map((span) => (span as { links?: unknown }).links))).toContain('previous_turn');
});

it('content is there where it is captured', async () => {
  await playMore(stage, 'agent-with-tools', observed());
  await tree();
  const tool = named('execute_tool mcp__kit__weather');
  expect(tool.attributes['gen_ai.tool.call.arguments']).toBe('{"city":"Oslo"}');
  expect(String(tool.attributes['gen_ai.tool.call.result'])).toContain('temperature');
  expect(String(named('chat test-model').attributes['gen_ai.output.messages'])).toContain('dig call_1');
  expect(String(named('invoke_agent agent').attributes['gen_ai.output.messages'])).toContain('Sunny.');
  expect(String(named('invoke_agent researcher').attributes['gen_ai.input.messages'])).toContain('dig call_1');
});

/** A query of messages made up, for what the model's API says and no recording has. */
const queryOf = (lines: readonly Line[]): Sdk['query'] => replaySdk(lines).query;
const system = (subtype: string, more: Fields = {}): Line => ({
  message: { type: 'system', subtype, session_id: 's', ...more },
});
const event = (type: string, more: Fields): Line => ({
  message: { type: 'stream_event', event: { type, ...more }, parent_tool_use_id: null, session_id: 's' },
});
const hook = (name: string, more: Fields = {}): Line => ({
  hook: { hook_event_name: name, session_id: 's', prompt_id: 'p', ...more },
});
const result: Line = {
  message: { type: 'result', subtype: 'success', result: 'Sunny.', session_id: 's', total_cost_usd: 0.5 },
};
const noServers = (sdk: Sdk) => ({ kit: sdk.createSdkMcpServer({ name: 'kit', tools: [] }) });
const readAll = async (query: AsyncIterable<Fields>) => {
  const all: Fields[] = [];
  for await (const message of query) all.push(message);
  return all;
};
const answered = (usage: Fields, delta: Fields): Line[] => [
  hook('UserPromptSubmit', { prompt: 'Weather?' }),
  system('init', { model: 'm' }),
  system('status', { status: 'requesting' }),
  event('message_start', { message: { id: 'msg_1', model: 'm', usage } }),
  event('content_block_start', { index: 0 }),
  event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: delta }),
  event('message_stop', {}),
  result,
];

it('tokens are those of the end, with the cache, and cost is none of them', async () => {
  const usage = { input_tokens: 3, output_tokens: 1, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 };
  await readAll(observed()(queryOf(answered(usage, { output_tokens: 42 })))({ prompt: 'Weather?' }));
  await tree();
  expect(named('chat m').attributes).toMatchObject({
    'gen_ai.usage.input_tokens': 123,
    'gen_ai.usage.output_tokens': 42,
    'gen_ai.usage.cache_read.input_tokens': 100,
    'gen_ai.usage.cache_creation.input_tokens': 20,
    'gen_ai.response.finish_reasons': ['stop'],
  });
});

it('without parts of messages requests are known by their blocks, but not their output', async () => {
  const { sdk } = await stage.open('denied-by-nobody', () => ({}));
  const query = observed({ partialMessages: false })(sdk.query);
  await readAll(query({ prompt: 'Weather?', options: { mcpServers: noServers(sdk) } }));
  expect(await tree()).toEqual(
    turn(
      '  chat test-model: tool_calls 10>undefined',
      '  execute_tool mcp__kit__weather: blocked',
      '  chat test-model: stop 10>undefined',
    ),
  );
});

it('parts of messages are seen by a program that asks for them, and by no other', async () => {
  const lines = answered({}, {});
  const kinds = async (options: Fields) =>
    (await readAll(observed()(queryOf(lines))({ prompt: 'Weather?', options }))).map(({ type }) => type);
  expect(await kinds({})).toEqual(['system', 'result']);
  expect(await kinds({ includePartialMessages: true })).toEqual([
    'system',
    'system',
    'stream_event',
    'stream_event',
    'stream_event',
    'stream_event',
    'result',
  ]);
});

it('the query is the SDK’s own object, with its methods', async () => {
  let made: unknown;
  const sdkQuery = queryOf(answered({}, {}));
  const query = observed()(((params) => {
    const own = Object.assign(sdkQuery(params), { setModel: async () => 'set' });
    made = own;
    return own;
  }) as Sdk['query']);
  const got = query({ prompt: 'Weather?' }) as ReturnType<Sdk['query']> & { setModel(): Promise<string> };
  expect(got).toBe(made);
  expect(await got.setModel()).toBe('set');
  expect((await readAll(got)).length).toBe(2);
  expect(await got.next()).toEqual({ done: true, value: undefined });
});

it('a query that is left half way is interrupted', async () => {
  const { sdk } = await stage.open('two-steps', () => ({}));
  for await (const message of observed()(sdk.query)({ prompt: 'Weather?', options: { mcpServers: noServers(sdk) } }))
    if (message.type === 'system') break;
  expect((await tree())[0]).toBe('invoke_agent agent: interrupted');
});

it('messages count when they come, however late the program reads them', async () => {
  const query = observed()(queryOf(answered({ input_tokens: 1 }, { output_tokens: 2 })))({ prompt: 'Weather?' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  await observer.flush();
  expect(kept.spans.map(({ name }) => name)).toContain('chat m');
  expect((await readAll(query)).length).toBe(2);
});

it('an error of the query is thrown once, behind what came before', async () => {
  const lines = [...answered({}, {}).slice(0, 3), { throws: { name: 'Error', message: 'exit 1' } }];
  const query = observed()(queryOf(lines))({ prompt: 'Weather?' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await query.next()).value).toMatchObject({ subtype: 'init' });
  await expect(query.next()).rejects.toThrow('exit 1');
  expect((await query.next()).done).toBe(true);
  expect((await tree())[0]).toBe('invoke_agent agent: failed ERROR');
});

it('turns belong to the session, sender and span that query was called in', async () => {
  await observer.turn({ sessionId: 'outer' }, () =>
    withSession(
      { senderId: 'ann' },
      async () => void (await readAll(observed()(queryOf(answered({}, {})))({ prompt: 'Weather?' }))),
    ),
  );
  expect(await tree()).toEqual([
    'invoke_agent agent: completed',
    '  invoke_agent agent: completed',
    expect.stringContaining('    chat m: stop'),
  ]);
});

it('a compaction is a request of the agent’s own', async () => {
  const lines = [hook('UserPromptSubmit', { prompt: 'go' }), hook('PreCompact'), hook('PostCompact'), result];
  await readAll(observed()(queryOf([system('init', { model: 'm' }), ...lines]))({ prompt: 'go' }));
  await tree();
  expect(named('chat m').attributes['hermes.aux.task']).toBe('compression');
});

it('Claude Code’s own spans are told of once, or left to be the only ones', async () => {
  const env = {
    CLAUDE_CODE_ENABLE_TELEMETRY: '1',
    CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
    OTEL_TRACES_EXPORTER: 'otlp',
  };
  const warnings: string[] = [];
  const play = async (frameworkSpans?: ClaudeOptions['frameworkSpans'], used: Fields = env) => {
    const query = observed({ frameworkSpans, onWarning: (text) => warnings.push(text) })(queryOf(answered({}, {})));
    await readAll(query({ prompt: 'Weather?', options: { env: used } }));
    await readAll(query({ prompt: 'Weather?', options: { env: used } }));
    await observer.flush();
    return kept.spans.splice(0).length;
  };
  expect(await play('yield')).toBe(0);
  expect(await play('keep')).toBe(4);
  expect(await play('warn', { ...env, OTEL_TRACES_EXPORTER: 'none' })).toBe(4);
  expect(warnings).toEqual([]);
  expect(await play()).toBe(4);
  expect(warnings).toEqual([expect.stringContaining('count twice')]);
});

it('the process gets the span of its caller, by option', async () => {
  let env: Fields | undefined;
  const query = observed({ traceContext: true })(((params) => {
    env = params.options?.env as Fields;
    return queryOf(answered({}, {}))(params);
  }) as Sdk['query']);
  await observer.turn({}, async (outer) => {
    await readAll(query({ prompt: 'Weather?', options: { env: { PATH: '/bin' } } }));
    expect(env).toMatchObject({
      PATH: '/bin',
      TRACEPARENT: observer.traceContext({ turnId: outer.turnId }).traceparent,
    });
  });
});

describe('the program’s own callbacks', () => {
  it('are asked as before, and their answers are theirs', async () => {
    const { sdk } = await stage.open('approval-granted', () => ({}));
    const asked: unknown[] = [];
    const answer = Promise.resolve({ behavior: 'allow' as const });
    let given: Fields = {};
    const recorded = ((params) => {
      given = params.options ?? {};
      return sdk.query(params);
    }) as Sdk['query'];
    const own = async () => ({});
    await readAll(
      observed()(recorded)({
        prompt: 'Weather?',
        options: {
          mcpServers: noServers(sdk),
          hooks: { Stop: [{ hooks: [own] }] },
          canUseTool: (...args: unknown[]) => {
            asked.push(args[0], observer.traceContext().traceparent !== undefined);
            return answer;
          },
        },
      }),
    );
    expect(asked).toEqual(['mcp__kit__weather', true]);
    expect((given.hooks as Record<string, { hooks: unknown[] }[]>).Stop?.[0]?.hooks).toEqual([own]);
    expect((given.canUseTool as (...args: unknown[]) => unknown)('Bash', {}, {})).toBe(answer);
  });

  it('may throw', async () => {
    const { sdk } = await stage.open('approval-granted', () => ({}));
    const failed = new Error('no');
    let given: Fields = {};
    const query = observed()(((params) => {
      given = params.options ?? {};
      return sdk.query({ ...params, options: {} });
    }) as Sdk['query']);
    query({
      prompt: 'Weather?',
      options: {
        canUseTool: () => {
          throw failed;
        },
      },
    });
    expect(() => (given.canUseTool as (...args: unknown[]) => unknown)('Bash', {}, { toolUseID: 'x' })).toThrow(failed);
  });
});

describe('withObserver', () => {
  it('makes turns, tools and subagents of hooks alone, for any number of queries', async () => {
    const options = { observer };
    await playMore(
      stage,
      'agent-with-tools',
      (query) =>
        ({ prompt, options: own }) =>
          query({ prompt, options: withObserver(own ?? {}, options) }),
    );
    expect(await tree()).toEqual([
      'invoke_agent agent: completed',
      '  execute_tool Agent: ok',
      '    invoke_agent researcher: completed',
      '      execute_tool mcp__kit__weather: ok',
    ]);
  });

  it('is not counted twice by a query that is observed', async () => {
    await playMore(
      stage,
      'agent-with-tools',
      (query) =>
        ({ prompt, options }) =>
          observed()(query)({ prompt, options: withObserver(options ?? {}, { observer }) }),
    );
    expect(await tree()).toEqual(TREES['agent-with-tools']?.('0.3.332'));
  });
});

describe('instrumentClaude', () => {
  it('that is left has answers for the reads that were asked for before, as a generator has', async () => {
    async function* messages(fails: boolean) {
      for (let i = 0; i < 4; i++) yield { type: 'assistant', uuid: `u${i}` };
      if (fails) throw new Error('boom');
    }
    const left = async (query: AsyncGenerator<unknown>, reads: number) => {
      const asked = Array.from({ length: reads }, () => query.next());
      const returned = await query.return(5);
      const settled = await Promise.allSettled(asked);
      const told = settled.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)));
      return [...told, returned, await query.next()];
    };
    for (const [fails, reads] of [
      [false, 6],
      [false, 2],
      [false, 0],
      [true, 6],
    ] as const) {
      const query = observed()((() => messages(fails)) as never)({ prompt: 'x' });
      expect(await left(query, reads)).toEqual(await left(messages(fails), reads));
    }
    expect((await tree()).filter((line) => line.includes('incomplete'))).toEqual([]);
  });

  it('gives the module with a query and a startup that are observed', async () => {
    const { sdk } = await stage.open('plain-turn', () => ({}));
    const startup = async ({ options }: { options: Fields }) => ({
      query: (prompt: string) => sdk.query({ prompt, options }),
      close: () => 1,
    });
    const module = instrumentClaude({ ...sdk, startup, VERSION: '1' }, { observer });
    expect(module.VERSION).toBe('1');
    expect(module.tool).toBe(sdk.tool);
    await readAll(module.query({ prompt: 'Weather?', options: { mcpServers: noServers(sdk) } }));
    const warm = await module.startup({ options: { mcpServers: noServers(sdk) } });
    expect(warm.close()).toBe(1);
    await readAll(warm.query('Weather?'));
    expect(await tree()).toEqual([...turn(ANSWERS), ...turn(ANSWERS)]);
  });
});
