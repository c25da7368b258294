import { instrumentAiSdk } from '@hermes-observer/ai-sdk';
import { KeptSpans, spanTree } from '@hermes-observer/core/testing';
import { instrumentLangChain } from '@hermes-observer/langchain';
import { instrumentOpenAIAgents } from '@hermes-observer/openai-agents';
import { createObserver, type Observer } from '@hermes-observer/otel';
import * as agents from '@openai/agents';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentRun, aiSdkAgent, langChainAgent, openAiAgent, USAGE } from './agents.mjs';

const FRAMEWORKS = { 'AI SDK': aiSdkAgent, 'OpenAI Agents': openAiAgent, LangChain: langChainAgent };
type Name = keyof typeof FRAMEWORKS;
const NAMES = Object.keys(FRAMEWORKS) as Name[];

let kept: KeptSpans;
let observer: Observer;
const warnings: string[] = [];
let ends: (() => void)[];

beforeEach(() => {
  kept = new KeptSpans();
  warnings.length = 0;
  observer = createObserver({ exporters: [kept], env: {} });
  const options = { observer, onWarning: (text: string) => void warnings.push(text) };
  ends = [instrumentAiSdk(options), instrumentOpenAIAgents({ ...options, agents }), instrumentLangChain(options)];
  agents.setTracingDisabled(true);
});
afterEach(() => {
  for (const end of ends) end();
  expect(warnings).toEqual([]);
});
afterAll(() => observer.shutdown());

/** Lines of the spans; of requests the tokens alone, since models of frameworks' own know no name and no reason. */
async function tree(): Promise<string[]> {
  await observer.shutdown();
  expect(new Set(kept.spans.map((span) => span.spanContext().traceId)).size).toBe(1);
  return spanTree(kept.spans).map((line) => line.replace(/chat.* (\d+>\d+)$/, 'chat $1'));
}

const CHAT = `chat ${USAGE.input}>${USAGE.output}`;

/** What agents below each other come out as, whatever frameworks they are of. */
function expected(depth: number, name = 'hermes'): string[] {
  if (depth === 1) return [`invoke_agent ${name}: completed`, `  ${CHAT}`];
  const inner = expected(depth - 1, `agent-${depth - 2}`).map((line) => `    ${line}`);
  return [`invoke_agent ${name}: completed`, `  ${CHAT}`, '  execute_tool ask: ok', ...inner, `  ${CHAT}`];
}

const pairs = NAMES.flatMap((outer) =>
  NAMES.filter((inner) => inner !== outer).map((inner) => [outer, inner] as const),
);
const triples = pairs.flatMap(([one, two]) =>
  NAMES.filter((three) => three !== one && three !== two).map((three) => [one, two, three] as const),
);

describe('an agent whose tool runs an agent of another framework is one trace', () => {
  it.each([...pairs, ...triples].map((names) => [names.join(' > '), names] as const))('%s', async (_, names) => {
    const run = [...names]
      .reverse()
      .reduce<AgentRun | undefined>(
        (inner, name, i) => FRAMEWORKS[name](`agent-${i}`, inner === undefined ? {} : { ask: inner }),
        undefined,
      );
    expect(await run?.('Hello?')).toBe(`agent-${names.length - 1} is done.`);
    expect(await tree()).toEqual(expected(names.length));
  });

  it.each(NAMES)('agents of %s that ask both others at once', async (outer) => {
    const [one, two] = NAMES.filter((name) => name !== outer) as [Name, Name];
    const slow = async (run: AgentRun, question: string) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return run(question);
    };
    const inner = { one: FRAMEWORKS[one]('agent-one'), two: FRAMEWORKS[two]('agent-two') };
    const run = FRAMEWORKS[outer]('outer', { one: (question) => slow(inner.one, question), two: inner.two });
    expect(await run('Hello?')).toBe('outer is done.');
    const child = (name: string) => [
      `  execute_tool ${name}: ok`,
      `    invoke_agent agent-${name}: completed`,
      `      ${CHAT}`,
    ];
    expect(await tree()).toEqual([
      'invoke_agent hermes: completed',
      `  ${CHAT}`,
      ...child('one'),
      ...child('two'),
      `  ${CHAT}`,
    ]);
  });

  it.each(pairs.map((names) => [names.join(' > '), ...names] as const))(
    'one that fails fails alone: %s',
    async (_, outer, inner) => {
      const failing = FRAMEWORKS[inner]('agent-0', {
        ask: async () => {
          throw new Error('nobody there');
        },
      });
      const run = FRAMEWORKS[outer]('outer', {
        ask: async (question) => {
          await failing(question);
          throw new Error('no answer');
        },
      });
      // LangChain gives errors of tools to the program, the others to the model.
      await run('Hello?').catch((error: Error) => expect(error.message).toMatch(/nobody there|no answer/));
      const lines = await tree();
      expect(lines.filter((line) => line.includes('invoke_agent'))).toHaveLength(2);
      expect(lines.filter((line) => /execute_tool ask: error/.test(line))).toHaveLength(2);
    },
  );

  it('as turns of their own below the tools of a program that tells of its turn itself', async () => {
    const [first, second] = [aiSdkAgent('one'), openAiAgent('two')];
    await observer.turn({ sessionId: 's-1' }, async (turn) => {
      await turn.tool({ name: 'first', args: {} }, () => first('Hello?'));
      await turn.tool({ name: 'second', args: {} }, () => second('Hello?'));
    });
    const turn = ['    invoke_agent hermes: completed', `      ${CHAT}`];
    expect(await tree()).toEqual([
      'invoke_agent hermes: completed',
      '  execute_tool first: ok',
      ...turn,
      '  execute_tool second: ok',
      ...turn,
    ]);
  });
});
