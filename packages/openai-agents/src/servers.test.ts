import * as agents from '@openai/agents';
import { afterEach, describe, expect, it } from 'vitest';
import { call, endScenes, observed, planner, TREE, text, weather } from './scene.test-support.js';

const { run } = agents;

afterEach(endScenes);

/** An MCP server of the program, in the same process. */
class Server implements agents.MCPServer {
  readonly name = 'server';
  cacheToolsList = false;
  active: string | undefined;
  readonly #look: () => string | undefined;

  constructor(look: () => string | undefined) {
    this.#look = look;
  }

  async connect() {}
  async close() {}
  async invalidateToolsCache() {}

  async listTools() {
    const inputSchema = {
      type: 'object' as const,
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    return [{ name: 'weather', description: 'The weather', inputSchema }] as never;
  }

  async callTool(_name: string, args: Record<string, unknown> | null) {
    this.active = this.#look();
    if (args?.city === 'Nowhere') throw new RangeError('no such city');
    return [{ type: 'text' as const, text: '21' }];
  }
}

describe('tools of an MCP server', () => {
  it('are tools, whose spans are active while the server is asked', async () => {
    const scene = observed();
    const server = new Server(() => scene.observer.traceContext().traceparent?.split('-')[2]);
    await run(planner(undefined, { tools: [], mcpServers: [server] }), 'x');
    const tool = (await scene.spans()).find(({ name }) => name === 'execute_tool weather');
    expect(server.active).toBe(tool?.spanContext().spanId);
    expect(await scene.tree()).toEqual(TREE);
  });

  it('that fail are errors', async () => {
    const scene = observed();
    const server = new Server(() => undefined);
    const steps = [[call('call_1', 'weather', { city: 'Nowhere' })], [text()]];
    await run(planner(steps, { tools: [], mcpServers: [server] }), 'x');
    expect(await scene.tree()).toEqual(TREE.map((line) => line.replace('weather: ok', 'weather: error ERROR')));
  });
});

describe('a tool of an MCP server that the provider asks', () => {
  const request = {
    type: 'hosted_tool_call' as const,
    id: 'mcpr_1',
    name: 'mcp_approval_request',
    status: 'completed',
    providerData: {
      type: 'mcp_approval_request',
      id: 'mcpr_1',
      name: 'weather',
      arguments: '{"city":"Oslo"}',
      server_label: 's',
    },
  };
  const done = {
    type: 'hosted_tool_call' as const,
    id: 'mcp_2',
    name: 'mcp_call',
    status: 'completed',
    output: '21',
    providerData: {
      type: 'mcp_call',
      id: 'mcp_2',
      approval_request_id: 'mcpr_1',
      name: 'weather',
      arguments: '{"city":"Oslo"}',
      server_label: 's',
    },
  };
  const tools = () => [
    agents.hostedMcpTool({ serverLabel: 's', serverUrl: 'https://server.invalid', requireApproval: 'always' }),
  ];

  it.each([
    [true, ['  execute_tool weather: ok', '    approval weather: once'], [done, text()]],
    [false, ['  execute_tool weather: blocked', '    approval weather: deny'], [text()]],
  ])('is asked about: %s', async (approves, told, answer) => {
    const scene = observed();
    const agent = planner([[request], answer], { tools: tools() });
    const asked = await run(agent, 'x');
    for (const question of asked.interruptions) {
      if (approves) asked.state.approve(question);
      else asked.state.reject(question);
    }
    expect((await run(agent, asked.state)).finalOutput).toBe('Sunny.');
    const tree = await scene.tree();
    expect(tree.filter((line) => line.includes('incomplete'))).toEqual([]);
    expect(tree).toEqual([
      'invoke_agent hermes: completed',
      expect.stringMatching(/^ {2}chat m: \w+ 10>5$/),
      '  approval weather: pending',
      'invoke_agent hermes: completed',
      ...told,
      '  chat m: stop 10>5',
    ]);
  });
});

describe('traces of the SDK itself', () => {
  /** Spans that processors of the program are told of, without what is random. */
  async function traced(): Promise<unknown[]> {
    const told: unknown[] = [];
    const processor: agents.TracingProcessor = {
      onTraceStart: async (trace) => void told.push(['trace', trace.name, trace.groupId]),
      onTraceEnd: async () => void told.push(['trace end']),
      onSpanStart: async ({ spanData }) => void told.push(['span', spanData.type]),
      onSpanEnd: async ({ spanData, error }) => void told.push(['span end', spanData.type, error?.message]),
      shutdown: async () => {},
      forceFlush: async () => {},
    };
    agents.setTracingDisabled(false);
    agents.setTraceProcessors([processor]);
    try {
      const fails = () => {
        throw new RangeError('no such city');
      };
      await run(planner(undefined, { tools: [weather(fails)] }), 'x');
      const streamed = await run(planner(), 'x', { stream: true });
      await streamed.completed;
    } finally {
      agents.setTraceProcessors([]);
      agents.setTracingDisabled(true);
    }
    return told;
  }

  it('are those that they are without an observer', async () => {
    const without = await traced();
    const scene = observed();
    expect(await traced()).toEqual(without);
    expect(without.length).toBeGreaterThan(10);
    expect(await scene.tree()).toEqual([
      ...TREE.map((line) => line.replace('weather: ok', 'weather: error ERROR')),
      ...TREE.map((line) => line.replace('10>5', '10>5 streamed')),
    ]);
  });
});
