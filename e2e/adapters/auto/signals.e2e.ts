import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameworkAt } from '../frameworks.mjs';
import { nodesToRunOn } from '../nodes.mjs';
import { SpanServer } from '../span-server.js';

const AUTO = ['--import', '@hermes-observer/auto'];
const TURN = ['invoke_agent hermes: completed', '  chat test-model'];
const program = fileURLToPath(new URL('programs/ends.mjs', import.meta.url));
const env = { HERMES_OBSERVER_AUTO_SIGNALS: 'on' };
let server: SpanServer;

beforeAll(async () => {
  server = await SpanServer.start();
});
afterAll(() => server.close());

describe.each(await nodesToRunOn())('on Node.js %s', (_, node) => {
  it.each(['3.0.7', '4.1.0'])(
    'a program that cleans up by signal-exit %s ends by the signal, and its last spans are kept',
    async (version) => {
      const { folder } = await frameworkAt('signal-exit', { 'signal-exit': version });
      const args = [program, 'signal', join(folder, 'package.json')];
      const plain = await server.run(args, { node });
      expect(plain).toMatchObject({ code: 'SIGTERM', stdout: 'cleans up' });
      expect(await server.run([...AUTO, ...args], { node, env })).toMatchObject({
        code: plain.code,
        stdout: plain.stdout,
      });
      expect(server.tree()).toEqual(TURN);
    },
  );
});
