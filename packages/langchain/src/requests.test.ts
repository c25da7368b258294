import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agent, asks, call, input, model, observed, says, TREE } from './scene.test-support.js';

let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url === '/busy' ? 503 : 200).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const post = async (path: string) => {
  await (await fetch(`${url}${path}`, { method: 'POST', body: '{}' })).text();
};

/** A model whose code sends something before it answers. */
function sending(code: () => Promise<unknown>) {
  const one = model(says());
  const generate = one._generate.bind(one);
  return Object.assign(one, {
    _generate: async (...args: Parameters<typeof generate>) => {
      await code();
      return await generate(...args);
    },
  });
}

it.each([
  ['asks another one', () => post('/busy').then(() => post('/other'))],
  ['has an answer kept', () => post('/busy')],
])('a model that was refused, and %s, has answered', async (_, code) => {
  const scene = observed();
  const { messages } = await agent({ model: sending(code) }).invoke(input());
  expect(messages.at(-1)?.content).toBe('Sunny.');
  expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: stop 10>5 x503']);
});

it('a log that is not taken is no failure of the model beside it', async () => {
  const scene = observed();
  await agent({ model: sending(() => Promise.all([post('/model'), post('/busy')])) }).invoke(input());
  expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: stop 10>5']);
});

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error('trap');
    },
  },
);

it('a tool that throws what cannot be read has failed', async () => {
  const scene = observed();
  const run = () => {
    throw hostile;
  };
  await expect(agent({}, [asks(call('call_1')), says()], run).invoke(input())).rejects.toBeDefined();
  expect(await scene.tree()).toEqual([
    'invoke_agent hermes: failed ERROR',
    '  chat m: tool_calls 10>5',
    '  execute_tool weather: error ERROR',
  ]);
});

it('a model that throws what cannot be read has failed', async () => {
  const scene = observed();
  const code = () => Promise.reject(hostile);
  await expect(agent({ model: sending(code) }).invoke(input())).rejects.toBeDefined();
  const [turn, request] = await scene.tree();
  expect([turn, request]).toEqual(['invoke_agent hermes: failed ERROR', expect.stringMatching(/^ {2}chat m/)]);
});

it('a run that is well is told as before', async () => {
  const scene = observed();
  await agent().invoke(input());
  expect(await scene.tree()).toEqual(TREE);
});
