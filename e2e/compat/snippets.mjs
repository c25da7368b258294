// What the pages show, done where the packages are installed: their snippets compile there, those of README.md run, and
// so does the command.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { compile, TOP } from './apps.mjs';
import { check, command, run } from './check.mjs';

/** The TypeScript of a page, block by block. */
function snippetsOf(page) {
  return [...readFileSync(join(TOP, page), 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
}

export async function checkPages(folder) {
  const own = snippetsOf('README.md');
  const all = [...own, ...['core', 'otel', 'cli'].flatMap((name) => snippetsOf(`packages/${name}/README.md`))];
  const files = all.map((_, n) => `snippet-${n}.ts`);
  all.forEach((code, n) => {
    writeFileSync(join(folder, `snippet-${n}.ts`), code);
  });
  const options = { rootDir: '.', outDir: 'out' };
  await run(`types of ${all.length} snippets of the pages`, ...compile(folder, files, options));
  await checkOwn(folder, own.length);
  await checkCommand(folder);
}

async function checkOwn(folder, count) {
  const snippet = (n, env) => command(process.execPath, [join('out', `snippet-${n}.js`)], { cwd: folder, env });
  await check('README.md has the four snippets that run here', () => assert.equal(count, 4));
  await check('README.md 1, hooks, sends over OTLP', async () => {
    const { bodies, stderr } = await withReceiver((endpoint) => snippet(0, endpoint));
    assert.equal(stderr, '');
    for (const name of ['invoke_agent my-agent', 'execute_tool read_file', 'my-service'])
      assert.match(bodies, word(name));
  });
  await check('README.md 2, a wrapped turn, sends over OTLP', async () => {
    const { bodies, stdout } = await withReceiver((endpoint) => snippet(1, endpoint));
    assert.equal(stdout, 'Found Hello. Hello to you.\n');
    for (const name of ['invoke_agent my-agent', 'execute_tool search', 'chat gpt-5']) assert.match(bodies, word(name));
  });
  await check('README.md 3, a provider that is there, prints its span', async () => {
    const { stdout, stderr } = await snippet(2);
    assert.equal(stderr, '');
    assert.match(stdout, /name: 'invoke_agent hermes'/);
  });
  await check('README.md 4 makes a recording', async () => {
    await snippet(3);
    const lines = readFileSync(join(folder, 'hooks.ndjson'), 'utf8').trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).hook),
      ['pre_llm_call', 'on_session_end'],
    );
  });
}

/** In JSON and in protobuf names stand as they are. */
const word = (name) => new RegExp(name);

async function checkCommand(folder) {
  const bin = join(folder, 'node_modules', '.bin', 'hermes-observer');
  const installed = (...args) => command(bin, args, { cwd: folder });
  await check('hermes-observer demo', async () => {
    const { stdout, stderr } = await installed('demo');
    assert.equal(stderr, '');
    assert.match(stdout, /execute_tool delegate_task/);
  });
  await check('hermes-observer view and replay of the recording', async () => {
    assert.match((await installed('view', 'hooks.ndjson')).stdout, /invoke_agent hermes/);
    await installed('replay', 'hooks.ndjson', '--otlp-file', 'spans.jsonl');
    assert.ok(existsSync(join(folder, 'spans.jsonl')));
    const { bodies } = await withReceiver((env) =>
      installed('replay', 'hooks.ndjson', '--endpoint', env.OTEL_EXPORTER_OTLP_ENDPOINT),
    );
    assert.match(bodies, word('invoke_agent hermes'));
  });
}

/** Runs `action` with the variable that names a receiver of its own; what it returned, and what was posted. */
async function withReceiver(action) {
  const posted = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url === '/v1/traces') posted.push(body);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const result = await action({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.address().port}` });
    return { ...result, bodies: posted.join('\n') };
  } finally {
    server.close();
  }
}
