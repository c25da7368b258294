import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodesToRunOn } from '../nodes.mjs';
import { SpanServer } from '../span-server.js';

const AUTO = ['--import', '@hermes-observer/auto'];
const SAYS = '@hermes-observer/auto: observes ai 7.0.173';
const TURN = ['invoke_agent hermes: completed', '  chat test-model'];
const CLIENT = 'exports.OpenAI = class { request() {} fetchWithTimeout() {} };\n';
const folder = mkdtempSync(join(tmpdir(), 'auto-'));
const program = (name: string) => fileURLToPath(new URL(`programs/${name}`, import.meta.url));
const agent = (name: string) => fileURLToPath(new URL(`../ai-sdk/${name}`, import.meta.url));
let server: SpanServer;

beforeAll(async () => {
  server = await SpanServer.start();
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** A package of a name, with what it prints. */
function pretend(at: string, name: string, version: string, file: string, code: string): void {
  const root = join(folder, at);
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name, version, type: 'module', exports: `./${file}` }));
  writeFileSync(join(root, file), code);
}

describe.each(await nodesToRunOn())('on Node.js %s', (_, node) => {
  it.each([
    ['ESM', agent('agent.mjs')],
    ['CommonJS that imports', agent('agent.cjs')],
    ['CommonJS that requires', program('required.cjs')],
  ])('observes a program without a line for it: %s', async (_, path) => {
    const args = path.includes('required') ? [] : ['run'];
    expect(await server.run([...AUTO, path, ...args], { node })).toEqual({ code: 0, stdout: 'Sunny.', stderr: SAYS });
    const call = args.length > 0 ? ['  execute_tool weather: ok', '  chat test-model'] : [];
    expect(server.tree()).toEqual([...TURN, ...call]);
  });

  it.each([
    ['OpenAI Agents', '@openai/agents-core 0.20.0', '../openai-agents/agent.mjs', ['run', '-', 'import']],
    ['OpenAI Agents, required', '@openai/agents-core 0.20.0', '../openai-agents/agent.mjs', ['run', '-', 'require']],
    ['LangChain', '@langchain/core 1.4.0', 'programs/langchain-agent.mjs', ['import']],
    ['LangChain, required', '@langchain/core 1.4.0', 'programs/langchain-agent.mjs', ['require']],
  ])('observes %s', async (_, what, path, args) => {
    const ran = await server.run([...AUTO, fileURLToPath(new URL(path, import.meta.url)), ...args], { node });
    expect({ ...ran, stderr: '' }).toEqual({ code: 0, stdout: 'Sunny.', stderr: '' });
    expect(ran.stderr).toContain(what);
    const chat = expect.stringMatching(/^ {2}chat/);
    expect(server.tree()).toEqual(['invoke_agent hermes: completed', chat, '  execute_tool weather: ok', chat]);
  });

  it('observes AI SDK 6', async () => {
    const ran = await server.run([...AUTO, agent('agent-6.mjs')], { node });
    expect([ran.code, ran.stderr]).toEqual([0, SAYS.replace('7.0.173', '6.0.326')]);
    expect(JSON.parse(ran.stdout)).toHaveLength(2);
    expect(ran.stdout).not.toContain('none');
    expect(server.tree().filter((line) => line.startsWith('invoke_agent'))).toHaveLength(4);
  });

  it.each(['agent.mjs', 'agent.cjs'])('observes plain clients: %s', async (name) => {
    const path = fileURLToPath(new URL(`../clients/${name}`, import.meta.url));
    const plain = await server.run([path], { node });
    expect(server.spans).toEqual([]);
    const ran = await server.run([...AUTO, path], { node });
    expect({ ...ran, stderr: '' }).toEqual({ ...plain, stderr: '' });
    expect(ran.stderr).toMatch(/observes (?=.*\bopenai 7\.59\.0)(?=.*@anthropic-ai\/sdk 1\.14\.0)/);
    expect(server.tree().filter((line) => line.startsWith('invoke_agent'))).not.toEqual([]);
    expect(server.spans.filter(({ name }) => name.startsWith('chat')).length).toBeGreaterThan(1);
  });

  it('observes three frameworks in one program as one trace', async () => {
    const ran = await server.run([...AUTO, program('three-frameworks.mjs')], { node });
    expect(ran.stdout).toBe('planner is done.');
    expect(ran.stderr).toMatch(/observes (?=.*\bai 7)(?=.*@openai\/agents-core 0)(?=.*@langchain\/core 1)/);
    const chat = (depth: number) => expect.stringMatching(new RegExp(`^ {${depth}}chat`));
    expect(server.tree()).toEqual([
      'invoke_agent hermes: completed',
      chat(2),
      '  execute_tool ask: ok',
      '    invoke_agent researcher: completed',
      chat(6),
      '      execute_tool ask: ok',
      '        invoke_agent critic: completed',
      chat(10),
      chat(6),
      chat(2),
    ]);
    expect(new Set(server.spans.map(({ traceId }) => traceId)).size).toBe(1);
  });

  it('loads nothing for a program without a framework, and says nothing', async () => {
    const ran = await server.run([...AUTO, program('nothing.mjs')], { node });
    expect(ran).toEqual({ code: 0, stdout: 'no observer', stderr: '' });
  });

  it('observes several versions of a framework in one program', async () => {
    const { stderr } = await server.run([...AUTO, program('two-versions.mjs')], { node });
    expect(stderr).toMatch(/observes ai 7\.0\.\d+, ai 7\.0\.\d+$/);
    expect(stderr).toContain('ai 7.0.0');
    expect(server.tree()).toEqual([...TURN, ...TURN]);
  });

  it('a program that imports our packages at the same time is observed a moment later', async () => {
    const ran = await server.run([...AUTO, program('together.mjs')], { node });
    expect(ran).toEqual({ code: 0, stdout: 'Sunny.', stderr: SAYS });
    expect(server.tree()).toEqual(TURN);
    expect(server.spans.find(({ name }) => name.startsWith('invoke'))?.attributes).toContainEqual({
      key: 'gen_ai.conversation.id',
      value: { stringValue: 's-1' },
    });
  });

  it.each([
    ['none', 0, 'completed'],
    ['exit', 3, 'completed'],
    ['throw', 1, 'completed'],
    ['reject', 1, 'completed'],
    ['handled', 4, 'completed'],
    ['open-exit', 3, 'incomplete'],
    ['open-throw', 1, 'incomplete'],
  ])('the last spans of a program are kept: %s', async (way, code, outcome) => {
    expect((await server.run([...AUTO, program('ends.mjs'), way], { node })).code).toBe(code);
    expect(server.tree()).toEqual([`invoke_agent hermes: ${outcome}`, '  chat test-model']);
  });

  it('a program that a signal ends, ends at once, and its last spans are lost but on demand', async () => {
    expect((await server.run([...AUTO, program('ends.mjs'), 'signal'], { node })).code).toBe('SIGTERM');
    expect(server.spans).toEqual([]);
    const env = { HERMES_OBSERVER_AUTO_SIGNALS: 'on' };
    expect((await server.run([...AUTO, program('ends.mjs'), 'signal'], { node, env })).code).toBe('SIGTERM');
    expect(server.tree()).toEqual(TURN);
    expect((await server.run([...AUTO, program('ends.mjs'), 'handled'], { node, env })).code).toBe(4);
  });

  it.each([
    ['worker', true, true],
    ['worker-exit', true, true],
    ['fork', true, true],
    ['spawn', false, true],
  ])('children: %s', async (kind, byArgument, byVariable) => {
    await server.run([...AUTO, program('children.mjs'), kind], { node });
    expect(server.tree()).toEqual(byArgument ? TURN : []);
    await server.run([program('children.mjs'), kind], { node, env: { NODE_OPTIONS: AUTO.join(' ') } });
    expect(server.tree()).toEqual(byVariable ? TURN : []);
  });

  it('twice is as once', async () => {
    const env = { NODE_OPTIONS: AUTO.join(' ') };
    const { stderr } = await server.run([...AUTO, agent('agent.mjs'), 'run'], { node, env });
    expect(stderr).toBe(SAYS);
    expect(server.tree()).toHaveLength(4);
  });

  it('finds packages behind links, as pnpm lays them out', async () => {
    const at = (path: string) => join(folder, 'linked', path);
    pretend(
      'linked/node_modules/.pnpm/ai@7.3.0/node_modules/ai',
      'ai',
      '7.3.0',
      'dist/index.js',
      'export const x = 1;\n',
    );
    rmSync(at('node_modules/ai'), { force: true });
    symlinkSync(at('node_modules/.pnpm/ai@7.3.0/node_modules/ai'), at('node_modules/ai'));
    writeFileSync(at('app.mjs'), "import { x } from 'ai'; console.log(x);\n");
    const auto = fileURLToPath(import.meta.resolve('@hermes-observer/auto'));
    const ran = await server.run(['--import', auto, 'app.mjs'], { node, cwd: at('') });
    expect(ran).toEqual({ code: 0, stdout: '1', stderr: '@hermes-observer/auto: observes ai 7.3.0' });
  });

  it('leaves alone what was not tested, and says why, unless it is told to', async () => {
    pretend('untested/node_modules/ai', 'ai', '6.0.110', 'dist/index.js', 'export const x = 1;\n');
    const cwd = join(folder, 'untested');
    writeFileSync(join(cwd, 'app.mjs'), "import { x } from 'ai'; console.log(x);\n");
    const args = ['--import', fileURLToPath(import.meta.resolve('@hermes-observer/auto')), 'app.mjs'];
    const why = 'tested are >=6.0.111 <8; HERMES_OBSERVER_AUTO_UNTESTED=on observes it';
    expect((await server.run(args, { node, cwd })).stderr).toBe(
      `@hermes-observer/auto: leaves alone ai 6.0.110 (${why})`,
    );
    const env = { HERMES_OBSERVER_AUTO_UNTESTED: 'on' };
    expect((await server.run(args, { node, cwd, env })).stderr).toBe('@hermes-observer/auto: observes ai 6.0.110');
  });

  it.each([
    ['ai-sdk', 'ai', '6.0.110', '>=6.0.111 <8'],
    ['openai-agents', '@openai/agents', '0.3.0', '>=0.4.0 <1'],
    ['langchain', '@langchain/core', '0.3.0', '>=1.0.3 <2'],
    ['clients', 'openai', '5.12.0', '>=6.0.0 <8'],
  ])('%s, asked for by name, says once that a version was not tested', async (adapter, name, version, range) => {
    const cwd = join(folder, `asked-${adapter}`);
    pretend(`asked-${adapter}/node_modules/${name}`, name, version, 'index.cjs', CLIENT);
    writeFileSync(join(cwd, 'app.mjs'), '');
    const args = ['--import', fileURLToPath(import.meta.resolve(`@hermes-observer/${adapter}/register`)), 'app.mjs'];
    const { code, stderr } = await server.run(args, { node, cwd });
    expect(code).toBe(0);
    expect(stderr.split(`${name} ${version} is observed, and was not tested: tested are ${range}`)).toHaveLength(2);
  });

  it.each([
    ['ai-sdk/register', 'ai 5.9.0 is not observed: such a version tells nobody what it does'],
    ['auto', 'leaves alone ai 5.9.0 (such a version tells nobody what it does'],
  ])('a version that tells nobody what it does is said to be so by %s', async (entry, said) => {
    const cwd = join(folder, 'silent');
    pretend('silent/node_modules/ai', 'ai', '5.9.0', 'dist/index.js', 'export const x = 1;');
    writeFileSync(join(cwd, 'app.mjs'), "import 'ai';\n");
    const args = ['--import', fileURLToPath(import.meta.resolve(`@hermes-observer/${entry}`)), 'app.mjs'];
    const env = { HERMES_OBSERVER_AUTO_UNTESTED: 'on' };
    expect((await server.run(args, { node, cwd, env })).stderr).toContain(said);
  });

  it('a framework with a last line that is a comment, or that throws, is what it was', async () => {
    const cwd = join(folder, 'odd');
    const code = 'export const x = 1; // no end of line';
    pretend('odd/node_modules/ai', 'ai', '7.0.1', 'dist/index.js', code);
    writeFileSync(
      join(cwd, 'app.mjs'),
      "import('ai').then(({ x }) => console.log(x), (e) => console.log(e.message));\n",
    );
    const args = ['--import', fileURLToPath(import.meta.resolve('@hermes-observer/auto')), 'app.mjs'];
    expect((await server.run(args, { node, cwd })).stdout).toBe('1');
    pretend('odd/node_modules/ai', 'ai', '7.0.1', 'dist/index.js', "throw new Error('of the framework');");
    expect(await server.run(args, { node, cwd })).toEqual({ code: 0, stdout: 'of the framework', stderr: '' });
  });

  it('without its adapters a program runs as without it, and it says so', async () => {
    const alone = join(folder, 'alone', 'node_modules', '@hermes-observer', 'auto');
    cpSync(dirname(fileURLToPath(import.meta.resolve('@hermes-observer/auto'))), join(alone, 'dist'), {
      recursive: true,
    });
    writeFileSync(join(alone, 'package.json'), '{"type":"module"}');
    const ran = await server.run(['--import', join(alone, 'dist/index.js'), agent('agent.mjs'), 'run'], { node });
    expect({ ...ran, stderr: '' }).toEqual({ code: 0, stdout: 'Sunny.', stderr: '' });
    expect(ran.stderr).toContain('@hermes-observer/auto: failed inside, and goes on: ');
  });

  it.each([
    [{ HERMES_OBSERVER_AUTO: 'quiet' }, 4, ''],
    [{ HERMES_OBSERVER_AUTO: 'off' }, 0, ''],
    [{ OTEL_SDK_DISABLED: 'true' }, 0, ''],
    [{ HERMES_OBSERVER_AUTO_FRAMEWORKS: 'ai-sdk' }, 4, SAYS],
    [{ HERMES_OBSERVER_AUTO_FRAMEWORKS: '-ai-sdk' }, 0, '@hermes-observer/auto: leaves alone ai 7.0.173 (left out)'],
  ])('does what variables say: %o', async (env, spans, says) => {
    const ran = await server.run([...AUTO, agent('agent.mjs'), 'run'], { node, env });
    expect(ran).toEqual({ code: 0, stdout: 'Sunny.', stderr: says });
    expect(server.spans).toHaveLength(spans);
  });

  it.each([
    ['aiSdkAgent', 'ai-sdk'],
    ['langChainAgent', 'langchain'],
  ])('a framework that is bundled into the program is observed if it is named: %s', async (create, name) => {
    const input = join(folder, `${create}.mjs`);
    const agents = fileURLToPath(new URL('../mixed/agents.mjs', import.meta.url));
    const code = `import { ${create} } from ${JSON.stringify(agents)}; console.log(await ${create}('planner')('Hello?'));`;
    writeFileSync(input, code);
    const file = join(folder, `${create}-bundled.mjs`);
    const bundle = await rolldown({ input, platform: 'node', logLevel: 'silent' });
    await bundle.write({ file, format: 'esm', codeSplitting: false });
    const args = ['--import', fileURLToPath(import.meta.resolve('@hermes-observer/auto')), file];
    await server.run(args, { node, cwd: folder });
    expect(server.spans).toEqual([]);
    const env = { HERMES_OBSERVER_AUTO_FRAMEWORKS: name };
    const ran = await server.run(args, { node, cwd: folder, env });
    expect(ran).toEqual({ code: 0, stdout: 'planner is done.', stderr: '' });
    expect(server.tree()).toEqual(['invoke_agent hermes: completed', expect.stringMatching(/^ {2}chat/)]);
  });

  it('content and names are as variables say', async () => {
    const env = { HERMES_OBSERVER_CAPTURE: 'full', HERMES_OBSERVER_AUTO_AGENT: 'planner' };
    await server.run([...AUTO, agent('agent.mjs'), 'run'], { node, env });
    const turn = server.spans.find(({ name }) => name === 'invoke_agent planner');
    expect(JSON.stringify(turn?.attributes)).toContain('How is the weather?');
    await server.run([...AUTO, agent('agent.mjs'), 'run'], { node });
    expect(JSON.stringify(server.spans)).not.toContain('How is the weather?');
  });
});
