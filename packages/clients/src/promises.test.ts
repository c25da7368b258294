import { expect, it } from 'vitest';
import { chatAnswer, messageAnswer } from './answers.test-support.js';
import { withTool, withTurn } from './index.js';
import { json } from './loopback-server.test-support.js';
import { chat, message, observed, server, weather } from './scene.test-support.js';

it('a program that has a `Promise` of its own is observed as any other', async () => {
  const scene = observed();
  const { Promise: native } = globalThis;
  const tool = {
    type: 'function' as const,
    function: {
      name: 'weather',
      parameters: {},
      parse: async (text: string) => JSON.parse(text),
      function: () => 'ok',
    },
  };
  try {
    globalThis.Promise = class Own<T> extends native<T> {} as PromiseConstructor;
    server.answers(json(chatAnswer('m', 'One.')));
    await scene.openai.chat.completions.create(chat);
    server.answers(json(messageAnswer('m', 'Two.')));
    await scene.anthropic.messages.create(message);
    const generator = await withTurn({}, async function* () {
      yield 1;
      await withTool({ name: 'weather' }, async () => 2);
    });
    for await (const _ of generator);
    server.answers(json(chatAnswer('m', null, [weather])), json(chatAnswer('m', 'Sunny.')));
    await scene.openai.chat.completions.runTools({ ...chat, tools: [tool as never] }).done();
  } finally {
    globalThis.Promise = native;
  }
  expect(scene.payloads('post_tool_call').at(-1)).toMatchObject({ tool_call_id: 'call_1' });
  expect(await scene.tree()).toEqual([
    'invoke_agent hermes: completed',
    '  chat m: stop 10>5',
    'invoke_agent hermes: completed',
    '  chat m: stop 10>5',
    'invoke_agent hermes: completed',
    '  execute_tool weather: ok',
    'invoke_agent hermes: completed',
    '  chat m: tool_calls 10>5',
    '  execute_tool weather: ok',
    '  chat m: stop 10>5',
  ]);
});
