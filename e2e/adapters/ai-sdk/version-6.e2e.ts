import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { nodesToRunOn } from '../nodes.mjs';
import { SpanServer } from '../span-server.js';

const program = fileURLToPath(new URL('agent-6.mjs', import.meta.url));
const server = await SpanServer.start();
afterAll(() => server.close());

const run = (model: string) => [
  'invoke_agent hermes: completed',
  `  chat ${model}`,
  '  execute_tool weather: ok',
  `  chat ${model}`,
];

it.each(await nodesToRunOn())(
  'a program without a line for it is observed on Node.js %s: tools run in their spans, code around runs in none of them',
  async (_, node) => {
    const { code, stdout, stderr } = await server.run(['--import', '@hermes-observer/ai-sdk/register', program], {
      node,
    });
    expect([code, stderr]).toEqual([0, '']);
    const toolOf = (model: string) => {
      const { traceId } = server.spans.find(({ name }) => name === `chat ${model}`) ?? {};
      return server.spans.find((span) => span.traceId === traceId && span.name.startsWith('execute_tool'))?.spanId;
    };
    expect(JSON.parse(stdout)).toEqual([`tool of one: ${toolOf('one')}`, `tool of two: ${toolOf('two')}`]);
    const trees = server
      .tree()
      .join('\n')
      .split(/\n(?=invoke)/);
    expect(trees).toHaveLength(4);
    expect(trees).toEqual(expect.arrayContaining([run('one').join('\n'), run('two').join('\n')]));
    expect(trees.at(-1)).toBe('invoke_agent hermes: completed\n  chat four');
  },
);
