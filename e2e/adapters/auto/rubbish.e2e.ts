import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodesToRunOn } from '../nodes.mjs';
import { SpanServer } from '../span-server.js';

/** Global symbols under which packages of this repository, and frameworks, keep what their copies share. */
const SYMBOLS = [
  'hermes.observer.shared.1',
  'hermes.observer.adapter.scopes.1',
  'hermes.observer.adapter.sessions.1',
  'hermes.observer.auto.1',
  'hermes.observer.langchain.1',
  'hermes.observer.clients.watchers.1',
  'hermes.observer.openai-agents.loaded.1',
  'ls:tracing_async_local_storage',
  'openai.agents.core.asyncLocalStorage',
];
const VALUES = ['{}', 'null', '0', '"x"'];
const TURN = ['invoke_agent hermes: completed', '  chat test-model'];
const program = fileURLToPath(new URL('programs/ends.mjs', import.meta.url));
let server: SpanServer;

beforeAll(async () => {
  server = await SpanServer.start();
});
afterAll(() => server.close());

const rubbish = (value: string, symbols = SYMBOLS) => [
  '--import',
  `data:text/javascript,for (const name of ${JSON.stringify(symbols)}) globalThis[Symbol.for(name)] = ${value};`,
];

describe.each(await nodesToRunOn())('on Node.js %s', (_, node) => {
  it.each(VALUES)('what stands in our place before us is replaced: %s', async (value) => {
    const args = [...rubbish(value), '--import', '@hermes-observer/auto', program, 'exit'];
    expect(await server.run(args, { node })).toMatchObject({ code: 3 });
    expect(server.tree()).toEqual(TURN);
  });

  it.each(VALUES)('what comes into our place behind us hurts nobody: %s', async (value) => {
    const args = ['--import', '@hermes-observer/auto', ...rubbish(value), program, 'exit'];
    expect(await server.run(args, { node })).toMatchObject({ code: 3 });
  });

  it.each(['ai-sdk', 'langchain', 'openai-agents', 'clients'])('programs start, with %s alone', async (name) => {
    for (const value of VALUES) {
      const args = [...rubbish(value), '--import', `@hermes-observer/${name}/register`, '-e', 'console.log("ran")'];
      expect(await server.run(args, { node })).toEqual({ code: 0, stdout: 'ran', stderr: '' });
    }
  });
});
