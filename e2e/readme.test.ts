import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runNode, TOP } from './run-command.js';

const page = readFileSync(join(TOP, 'README.md'), 'utf8');
const blocks = (language: string, of = page) =>
  [...of.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, code = '']) => code);
/** The page's own first, then those of the packages' pages. */
const own = blocks('ts');
const snippets = [
  ...own,
  ...['core', 'otel', 'cli'].flatMap((name) =>
    blocks('ts', readFileSync(join(TOP, `packages/${name}/README.md`), 'utf8')),
  ),
];

// Below the top, so that the packages are found as an installed project finds them.
mkdirSync(join(TOP, '.cache'), { recursive: true });
const folder = mkdtempSync(join(TOP, '.cache/readme-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Type-checks the snippets against the built packages and compiles them. */
beforeAll(async () => {
  snippets.forEach((code, i) => {
    writeFileSync(join(folder, `snippet-${i}.ts`), code);
  });
  const files = snippets.map((_, i) => `snippet-${i}.ts`);
  const compilerOptions = { outDir: 'out', rootDir: '.', composite: false };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.base.json', compilerOptions, files }),
  );
  const { code, stdout } = await runNode(['node_modules/typescript/bin/tsc', '-p', join(folder, 'tsconfig.json')]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
}, 60_000);

const runSnippet = (i: number, env: Record<string, string> = {}) =>
  runNode([join(folder, 'out', `snippet-${i}.js`)], { env });

it('has the four snippets that are tested here', () => {
  expect(own).toHaveLength(4);
  expect(snippets.length).toBeGreaterThan(8);
});

it('the first snippet sends a turn and its tool call over OTLP', async () => {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(`${request.url} ${await text(request)}`);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stderr } = await runSnippet(0, {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
  server.close();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).toMatch(/^\/v1\/traces \{/);
  const request = JSON.parse(bodies[0]?.replace(/^\S+ /, '') ?? '') as {
    resourceSpans: {
      scopeSpans: { spans: { name: string; traceId: string; parentSpanId?: string; spanId: string }[] }[];
    }[];
  };
  const spans = request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  const [tool, turn] = spans;
  expect(spans.map(({ name }) => name)).toEqual(['execute_tool read_file', 'invoke_agent my-agent']);
  expect(tool?.parentSpanId).toBe(turn?.spanId);
  expect(bodies[0]).not.toContain('notes.txt');
});

it('the first snippet ends well when nothing listens, and says that the spans are lost', async () => {
  const { code, stderr } = await runSnippet(0, {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
  });
  expect(code).toBe(0);
  expect(stderr).toContain('HermesObserver');
  expect(stderr).toContain('ECONNREFUSED');
});

it('the second snippet runs a turn with a tool and a request', async () => {
  const { code, stdout, stderr } = await runSnippet(1, { OTEL_TRACES_EXPORTER: 'console' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('Found Hello. Hello to you.\n');
  for (const name of ['execute_tool search', 'chat gpt-5', 'invoke_agent my-agent']) expect(stdout).toContain(name);
  expect(stdout).toContain("'gen_ai.usage.input_tokens': 12");
});

it('the fourth snippet makes a recording that can be viewed', async () => {
  const { code } = await runNode([join(folder, 'out', 'snippet-3.js')], { cwd: folder });
  expect(code).toBe(0);
  const view = await runNode(['packages/cli/bin/hermes-observer.js', 'view', join(folder, 'hooks.ndjson')]);
  expect(view).toMatchObject({ code: 0 });
  expect(view.stdout).toContain('invoke_agent hermes');
});

it('the third snippet makes a span of the provider that is there', async () => {
  const { code, stdout, stderr } = await runSnippet(2);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain("name: 'invoke_agent hermes'");
  expect(stdout).toContain("'hermes.turn.outcome': 'completed'");
});

it('every npm command of the page is a script of package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(TOP, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = [...page.matchAll(/^npm (?:run )?(\w[\w:]*)|&& npm (?:run )?(\w[\w:]*)/gm)]
    .map(([, first, second]) => first ?? second ?? '')
    .filter((name) => !['ci', 'pack', 'install'].includes(name));
  expect(named).toEqual(expect.arrayContaining(['demo', 'test', 'build']));
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});

it('the trace on the page is what the command shows', async () => {
  const [shown] = blocks('text');
  const { code, stdout } = await runNode([
    'packages/cli/bin/hermes-observer.js',
    'view',
    'packages/cli/demo/l-delegate-batch-one-fails-sync.ndjson',
    '--width',
    '110',
  ]);
  expect(code).toBe(0);
  expect(shown).toBe(stdout);
});

it('the exit codes on the page are those of the command', async () => {
  const command = 'packages/cli/bin/hermes-observer.js';
  const good = 'packages/cli/demo/c-parallel-tools.ndjson';
  const bad = join(folder, 'bad.ndjson');
  writeFileSync(bad, `{}\n${readFileSync(join(TOP, good), 'utf8')}`);
  const replay = async (file: string, out: string) =>
    (await runNode([command, 'replay', file, '--otlp-file', join(folder, out)])).code;
  expect(await replay(good, 'good.jsonl')).toBe(0);
  expect(await replay(bad, 'bad.jsonl')).toBe(1);
  expect(readFileSync(join(folder, 'bad.jsonl'), 'utf8')).toBe(readFileSync(join(folder, 'good.jsonl'), 'utf8'));
  expect(await replay(good, 'no/such/folder.jsonl')).toBe(2);
  expect((await runNode([command, 'replay', good])).code).toBe(2);
});
