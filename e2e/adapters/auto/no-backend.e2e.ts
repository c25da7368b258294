import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodesToRunOn } from '../nodes.mjs';
import { SpanServer } from '../span-server.js';

const AUTO = ['--import', '@hermes-observer/auto'];
const REGISTER = ['--import', '@hermes-observer/ai-sdk/register'];
const program = (name: string) => fileURLToPath(new URL(`programs/${name}`, import.meta.url));
const ENDS = [program('ends.mjs'), 'none'];
/** What a program takes longer that ends with nobody there: a pause or two, beside what the observer takes to load. */
const LITTLE_MS = 1_700;
let server: SpanServer;
let refusing: string;

const opened = async (one: Server | ReturnType<typeof createTcpServer>) => {
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(one.address() as AddressInfo).port}`;
};

beforeAll(async () => {
  server = await SpanServer.start();
  const gone = createTcpServer();
  refusing = await opened(gone);
  await new Promise((resolve) => gone.close(resolve));
});
afterAll(() => server.close());

/** What a program says with its spans sent to `endpoint`, and how long it takes. */
async function ran(args: readonly string[], node: string | undefined, endpoint: string, delay?: string) {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    ...(delay === undefined ? {} : { OTEL_BSP_SCHEDULE_DELAY: delay }),
  };
  const start = performance.now();
  const { code, stderr } = await server.run(args, { node, env });
  return { code, stderr, millis: performance.now() - start };
}

describe.each(await nodesToRunOn())('on Node.js %s', (_, node) => {
  it.each([
    ['auto', AUTO],
    ['/register', REGISTER],
  ])('who refuses the connection is told of each time, and soon: %s', async (_by, by) => {
    const reason = `http://${refusing}/v1/traces cannot be reached: connect ECONNREFUSED ${refusing}; check the address`;
    const plain = await ran(ENDS, node, `http://${refusing}`);
    for (let i = 0; i < 3; i++) {
      const { code, stderr, millis } = await ran([...by, ...ENDS], node, `http://${refusing}`);
      expect(stderr).toContain(`2 spans were not exported: ${reason}`);
      expect(code).toBe(0);
      expect(millis - plain.millis).toBeLessThan(LITTLE_MS);
    }
  });

  it('also where the exporter is in a pause between two tries, which does not hold the program', async () => {
    const { stderr, millis } = await ran(
      [...AUTO, program('ends-later.mjs'), 'none', '2500'],
      node,
      `http://${refusing}`,
      '50',
    );
    expect(stderr).toContain('cannot be reached: connect ECONNREFUSED');
    expect(millis).toBeLessThan(2_500 + 2_500);
  });

  it('a server that speaks no TLS is told of as that', async () => {
    const plain = createServer((_request, response) => response.end());
    const address = await opened(plain);
    const { stderr } = await ran([...AUTO, ...ENDS], node, `https://${address}`);
    plain.close();
    expect(stderr).toContain(`https://${address}/v1/traces cannot be reached: it speaks no TLS`);
  });

  it('a program that calls process.exit says where its last spans were to go, and why they did not', async () => {
    const { code, stderr } = await ran([...AUTO, program('ends.mjs'), 'exit'], node, `http://${refusing}`);
    expect(code).toBe(3);
    expect(stderr).toContain(
      `the last 2 spans were not exported: http://${refusing}/v1/traces cannot be reached: connect ECONNREFUSED`,
    );
    const silent = createTcpServer(() => {});
    const address = await opened(silent);
    const late = await ran([...AUTO, program('ends.mjs'), 'exit'], node, `http://${address}`);
    silent.close();
    expect(late.stderr).toContain(`not exported: http://${address}/v1/traces did not answer in 2 s`);
  });

  it.each(['takes its time', 'asks for time'])('a backend that %s gets all', async (how) => {
    let asked = 0;
    const slow = createServer((request, response) => {
      request.resume();
      asked++;
      if (how === 'asks for time' && asked < 3) response.writeHead(503).end();
      else setTimeout(() => response.end(), how === 'takes its time' ? 1_200 : 0);
    });
    const address = await opened(slow);
    const { stderr } = await ran([...AUTO, ...ENDS], node, `http://${address}`);
    slow.close();
    expect(stderr).not.toContain('not exported');
    expect(asked).toBe(how === 'takes its time' ? 1 : 3);
  });

  it('a word for signals that means nothing is told of', async () => {
    const env = { HERMES_OBSERVER_AUTO_SIGNALS: 'true' };
    const { stderr } = await server.run([...AUTO, ...ENDS], { node, env });
    expect(stderr).toContain('not understood: HERMES_OBSERVER_AUTO_SIGNALS=true (on, off)');
  });
});
