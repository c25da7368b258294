import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameworkAt } from '../frameworks.mjs';
import { nodesToRunOn } from '../nodes.mjs';
import { SpanServer } from '../span-server.js';

const AUTO = ['--import', '@hermes-observer/auto'];
const SAYS = '@hermes-observer/auto: observes ai 7.0.173';
const TURN = ['invoke_agent hermes: completed', '  chat test-model'];
const RUN = [...TURN, '  execute_tool weather: ok', '  chat test-model'];
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
let server: SpanServer;

beforeAll(async () => {
  server = await SpanServer.start();
});
afterAll(() => server.close());

const both = (theirs: readonly string[]) => [
  ['before', [...theirs, ...AUTO]] as const,
  ['behind', [...AUTO, ...theirs]] as const,
];

describe.each(await nodesToRunOn())('on Node.js %s', async (version, node) => {
  const { folder: tsx } = await frameworkAt('tsx', { tsx: '4.23.15' });
  it.each(both(['--import', pathToFileURL(join(tsx, 'node_modules/tsx/dist/loader.mjs')).href]))(
    'tsx %s it',
    async (_, args) => {
      const ran = await server.run([...args, here('programs/agent.ts')], { node });
      expect(ran).toEqual({ code: 0, stdout: 'Sunny.', stderr: SAYS });
      expect(server.tree()).toEqual(TURN);
    },
  );

  it.each([
    ['--require', ['--require', '@hermes-observer/auto']],
    ['both', ['--require', '@hermes-observer/auto', ...AUTO]],
  ])('it by %s', async (_, args) => {
    const ran = await server.run([...args, here('../ai-sdk/agent.mjs'), 'run'], { node });
    expect(ran).toMatchObject({ code: 0, stderr: SAYS });
    expect(server.tree()).toEqual(RUN);
  });

  it('the command of tsx, by NODE_OPTIONS', async () => {
    const env = { NODE_OPTIONS: AUTO.join(' ') };
    const command = join(tsx, 'node_modules/tsx/dist/cli.mjs');
    const ran = await server.run([command, here('programs/agent.ts')], { node, env });
    expect(ran).toEqual({ code: 0, stdout: 'Sunny.', stderr: SAYS });
    expect(server.tree()).toEqual(TURN);
  });

  const { folder: middle } = await frameworkAt('import-in-the-middle', { 'import-in-the-middle': '3.6.0' });
  const hook = (name: string) => pathToFileURL(join(middle, `node_modules/import-in-the-middle/${name}`)).href;
  const kinds: [string, string][] = [
    ['of a thread', `import { register } from 'node:module'; register(${JSON.stringify(hook('hook.mjs'))});`],
  ];
  if (!version.startsWith('20.')) {
    kinds.push([
      'in the thread',
      `import { register } from ${JSON.stringify(hook('register-hooks.mjs'))}; register();`,
    ]);
  }
  for (const [kind, code] of kinds) {
    it.each(both(['--import', `data:text/javascript,${encodeURIComponent(code)}`]))(
      `import-in-the-middle around all modules, ${kind}, %s it`,
      async (_, args) => {
        const ran = await server.run([...args, here('../ai-sdk/agent.mjs'), 'run'], { node });
        expect(ran).toEqual({ code: 0, stdout: 'Sunny.', stderr: SAYS });
        expect(server.tree()).toEqual(RUN);
      },
    );
  }
});

/** OpenTelemetry's own, of the line that runs on this release. */
const INSTRUMENTATIONS = (version: string): Record<string, string> =>
  version.startsWith('20.')
    ? { '@opentelemetry/api': '1.9.1', '@opentelemetry/auto-instrumentations-node': '0.67.3' }
    : { '@opentelemetry/api': '1.10.0', '@opentelemetry/auto-instrumentations-node': '0.82.0' };

describe.runIf(process.env.E2E_FULL === '1').each(await nodesToRunOn())('on Node.js %s', (version, node) => {
  it('OpenTelemetry, with its instrumentations for all that they know', async () => {
    const { folder } = await frameworkAt('opentelemetry-node', INSTRUMENTATIONS(version));
    const theirs = createRequire(join(folder, 'package.json')).resolve(
      '@opentelemetry/auto-instrumentations-node/register',
    );
    const start = pathToFileURL(theirs);
    const env = { OTEL_LOGS_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' };
    for (const [, args] of both(['--import', start.href])) {
      const ran = await server.run([...args, here('programs/fetching.mjs'), `${server.address}/`], { node, env });
      expect(ran.stdout).toBe('Sunny.');
      expect(ran.stderr).toContain(SAYS);
      // Their span of the model's HTTP request stands below our request.
      expect(server.tree()).toEqual([TURN[0], TURN[1], expect.stringMatching(/^ {4}(GET|HTTP GET)/)]);
    }
  });
});
