import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodesToRunOn } from '../nodes.mjs';
import { SpanServer } from '../span-server.js';

const AUTO = ['--import', '@hermes-observer/auto'];
const TURN = ['invoke_agent hermes: completed', '  chat test-model'];
const program = (name: string) => fileURLToPath(new URL(`programs/${name}`, import.meta.url));
let server: SpanServer;

beforeAll(async () => {
  server = await SpanServer.start();
});
afterAll(() => server.close());

describe.each(await nodesToRunOn())('on Node.js %s', (version, node) => {
  it('work that is begun when there is nothing left to do is observed', async () => {
    expect((await server.run([...AUTO, program('before-exit.mjs')], { node })).stdout).toBe('Sunny.\nSunny.');
    expect(server.tree()).toEqual([...TURN, ...TURN]);
  });

  it('a program does not wait for a backend that does not answer', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` };
    const start = performance.now();
    expect((await server.run([...AUTO, program('ends.mjs'), 'none'], { node, env })).code).toBe(0);
    const millis = performance.now() - start;
    silent.close();
    console.log(`Node.js ${version}: ended after ${Math.round(millis)} ms`);
    expect(millis).toBeLessThan(7_000);
  });

  it('a program that may require no ES modules is observed', async () => {
    const args = ['--no-experimental-require-module', ...AUTO, program('before-exit.mjs')];
    const { stdout, stderr } = await server.run(args, { node });
    expect(stdout).toBe('Sunny.\nSunny.');
    expect(stderr).not.toContain('not observed');
    expect(server.tree()).toEqual([...TURN, ...TURN]);
  });
});
