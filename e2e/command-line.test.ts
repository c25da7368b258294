import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  linkSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type CommandOptions, runCommand, runNode, TOP } from './run-command.js';

const SCRIPT = join(TOP, 'packages/cli/bin/hermes-observer.js');
const RECORDING = join(TOP, 'packages/cli/demo/c-parallel-tools.ndjson');
const KEPT = 'what was there before\n';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'command-line-')));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

const run = (args: readonly string[], options?: CommandOptions) => runNode([SCRIPT, ...args], options);

/** Fault lines: all that does not count or hint. */
const faults = (stderr: string) => stderr.split('\n').filter((line) => line.startsWith('hermes-observer: '));

beforeEach(() => {
  cpSync(RECORDING, at('in.ndjson'));
  writeFileSync(at('kept'), KEPT);
});

describe('an output that is an input', () => {
  it.each([
    ['itself', () => at('in.ndjson')],
    ['another spelling', () => `${folder}/./../${folder.split('/').at(-1)}/in.ndjson`],
    [
      'a symbolic link',
      () => {
        symlinkSync('in.ndjson', at('symbolic'));
        return at('symbolic');
      },
    ],
    [
      'a hard link',
      () => {
        linkSync(at('in.ndjson'), at('hard'));
        return at('hard');
      },
    ],
  ])('is refused: %s', async (_, output) => {
    const { code, stderr } = await run(['replay', RECORDING, at('in.ndjson'), '--otlp-file', output()]);
    expect(code).toBe(2);
    expect(faults(stderr)).toEqual([expect.stringMatching(/would overwrite an input: .*in\.ndjson .*\[HO_OPTION\]$/)]);
    expect(readFileSync(at('in.ndjson'))).toEqual(readFileSync(RECORDING));
  });

  it('is refused when either is a standard stream', () => {
    const stdin = openSync(at('in.ndjson'), 'r');
    const first = spawnSync(process.execPath, [SCRIPT, 'replay', '-', '--otlp-file', at('in.ndjson')], {
      stdio: [stdin, 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    const stdout = openSync(at('in.ndjson'), 'a');
    const second = spawnSync(process.execPath, [SCRIPT, 'replay', at('in.ndjson'), '--otlp-file', '-'], {
      stdio: ['ignore', stdout, 'pipe'],
      encoding: 'utf8',
    });
    expect([first.status, second.status]).toEqual([2, 2]);
    expect(`${first.stderr}${second.stderr}`.match(/\[HO_OPTION\]/g)).toHaveLength(2);
    expect(readFileSync(at('in.ndjson'))).toEqual(readFileSync(RECORDING));
  });
});

describe('exit code 2', () => {
  it.each([
    ['an endpoint of another scheme', ['--endpoint', 'ftp://x']],
    ['an endpoint that is no address', ['--endpoint', 'localhost:4318']],
    ['an empty endpoint', ['--endpoint', '']],
    ['an empty agent name', ['--agent-name', '']],
    ['a blank service name', ['--service-name', ' ']],
    ['an unknown capture', ['--capture', 'all']],
    ['an unknown profile', ['--profile', 'x']],
    ['an unknown option', ['--frobnicate']],
  ])('touches no output: %s', async (_, args) => {
    for (const command of [['replay', RECORDING], ['demo']]) {
      const { code, stdout, stderr } = await run([...command, '--otlp-file', at('kept'), ...args]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(faults(stderr)).toEqual([expect.stringMatching(/ \[HO_OPTION\]$/)]);
      expect(readFileSync(at('kept'), 'utf8')).toBe(KEPT);
    }
  });

  it('shows no tree before an output that cannot be opened', async () => {
    const { code, stdout, stderr } = await run(['demo', '--otlp-file', at('no/such/folder')]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(faults(stderr)).toEqual([expect.stringMatching(/ \[HO_OUTPUT_UNWRITABLE\]$/)]);
  });

  it.each([
    [['bogus'], /unknown command 'bogus' \[HO_OPTION\]\nsee .* --help\n$/],
    [['view', '--web'], /missing required argument 'file' \[HO_OPTION\]\nsee .* view --help\n$/],
    [
      ['view', '--terminal'],
      /--terminal needs a terminal .*: without it, view FILE prints text, .* \[HO_OPTION\]\nsee .* view --help\n$/,
    ],
    [['replay', 'x'], /say where the spans go: .* \[HO_OPTION\]\nsee .* replay --help\n$/],
    [['replay', 'x', '--format', 'atof'], /'--format atof' needs '--output <path>' \[HO_OPTION\]\n/],
    [
      ['replay', 'x', '--format', 'atof', '--output', 'y', '--profile', 'langfuse'],
      /'--profile' is for OTLP; '--format atof' has names of its own \[HO_OPTION\]\n/,
    ],
    [['replay', 'x', '--format', 'atif', '--output', '-'], /'--output' must be a folder \[HO_OPTION\]\n/],
    [
      ['replay', 'x', '--format', 'atof', '--endpoint', 'http://h'],
      /'--format atof' needs '--output <path>' \[HO_OPTION\]\n/,
    ],
    [
      ['replay', 'x', '--output', 'y', '--trajectory', 'turn'],
      /'--trajectory' goes with '--format atif' \[HO_OPTION\]\n/,
    ],
    [['replay', 'x', '--output', 'y', '--otlp-file', 'z'], /say the same; name one file \[HO_OPTION\]\n/],
    [['view', 'x', '--widht', '3'], /unknown option '--widht' \(Did you mean --width\?\) \[HO_OPTION\]\nsee /],
    [['view', 'x', '--profile', 'genai'], /unknown option '--profile' \[HO_OPTION\]\n/],
    [['view', 'x', '--service-name', 'y'], /unknown option '--service-name' \[HO_OPTION\]\n/],
  ])('says what is wrong with %j in one line, and where help is', async (args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.split('\n')).toHaveLength(3);
    expect(faults(stderr)).toHaveLength(1);
  });
});

describe('inputs that are not what they should be', () => {
  it.each([
    ['a typing error', () => at('none'), /none: no such file/],
    ['a folder', () => folder, /this is a folder/],
    ['an empty name', () => '', /: "": no such file/],
    [
      'a compressed file',
      () => {
        writeFileSync(at('x.gz'), execFileSync('gzip', ['-c', RECORDING]));
        return at('x.gz');
      },
      /compressed with gzip; unpack it first/,
    ],
  ])('leave the output alone when none is left: %s', async (_, input, message) => {
    const { code, stderr } = await run(['replay', input(), '--otlp-file', at('kept')]);
    expect(code).toBe(1);
    expect(faults(stderr)).toEqual([expect.stringMatching(/ \[HO_INPUT_UNREADABLE\]$/)]);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/no input could be opened; no output was touched\n$/);
    expect(readFileSync(at('kept'), 'utf8')).toBe(KEPT);
  });

  it('are left out when others are there', async () => {
    const { code, stderr } = await run(['replay', at('none'), RECORDING, '--otlp-file', at('out')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/20 records, 6 spans\n$/);
    expect(readFileSync(at('out'), 'utf8')).toContain('resourceSpans');
  });

  it('are named with the command for it when they are OTLP/JSON', async () => {
    await run(['replay', RECORDING, '--otlp-file', at('spans')]);
    const { code, stderr } = await run(['replay', at('spans'), '--otlp-file', at('out')]);
    expect(code).toBe(1);
    expect(faults(stderr)[0]).toMatch(/spans:1: this is OTLP\/JSON: .* the command view shows it \[HO_RECORD_SHAPE\]$/);
    expect((await run(['view', at('spans')])).code).toBe(0);
  });

  it.each(['view', 'replay'])('get one line and no more for a JSON value over several lines: %s', async (command) => {
    writeFileSync(at('pretty'), JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [] }] }] }, null, 2));
    const { code, stderr } = await run([
      command,
      at('pretty'),
      ...(command === 'view' ? [] : ['--otlp-file', at('o')]),
    ]);
    expect(code).toBe(1);
    expect(faults(stderr)).toEqual([
      expect.stringMatching(/pretty:1: .*one JSON value over several lines; .* \[HO_RECORD_NOT_JSON\]$/),
      expect.stringMatching(/\d+ lines are malformed and left out; .* \[HO_RECORDS_MALFORMED\]$/),
    ]);
  });

  it('get a line with its code for each fault, of many the first 20', async () => {
    writeFileSync(at('bad'), `{}\n${'x\n'.repeat(29)}${readFileSync(RECORDING, 'utf8')}`);
    const { code, stderr } = await run(['replay', at('bad'), '--otlp-file', at('out')]);
    expect(code).toBe(1);
    const lines = faults(stderr);
    expect(lines).toHaveLength(21);
    for (const line of lines) expect(line).toMatch(/ \[HO_[A-Z_]+\]$/);
    expect(lines[0]).toMatch(/bad:1: hook must be .* \[HO_RECORD_SHAPE\]$/);
    expect(lines[1]).toMatch(/bad:2: not JSON.* \[HO_RECORD_NOT_JSON\]$/);
    expect(lines[20]).toMatch(/30 lines are malformed and left out, 10 of them not named here; all others were read/);
  });
});

describe('standard output', () => {
  it
    .runIf(process.platform === 'linux')
    .each([[['view', RECORDING]], [['demo']], [['replay', RECORDING, '--otlp-file', '-']], [['--help']]])(
    'that is full gives exit code 1: %j',
    (args) => {
      const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
        stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
        encoding: 'utf8',
      });
      expect(status).toBe(1);
      const [line, ...more] = faults(stderr);
      expect(line).toMatch(/write to standard output: ENOSPC.* \[HO_OUTPUT_UNWRITABLE\]$/);
      for (const other of more) expect(other).toMatch(/not delivered to standard output \[HO_EXPORT_FAILED\]$/);
    },
  );

  it.each([[['replay', RECORDING]], [['demo']]])(
    'has the spans and nothing else for --otlp-file -: %j',
    async (args) => {
      const { code, stdout } = await run([...args, '--otlp-file', '-']);
      expect(code).toBe(0);
      await run([...args, '--otlp-file', at('out')]);
      expect(stdout).toBe(readFileSync(at('out'), 'utf8'));
    },
  );

  it.each(['view', 'replay'])('whose reader went away is no fault: %s', async (command) => {
    writeFileSync(at('long'), readFileSync(RECORDING, 'utf8').repeat(200));
    const more = command === 'replay' ? '--otlp-file -' : '';
    const line = `"${process.execPath}" "${SCRIPT}" ${command} "${at('long')}" ${more} | true; exit "\${PIPESTATUS[0]}"`;
    const { code, stderr } = await runCommand('bash', ['-c', line]);
    expect({ code, faults: faults(stderr) }).toEqual({ code: 0, faults: [] });
  });
});

it('gives exit code 1 for a fault of its own, not that of wrong use', async () => {
  const broken = 'data:text/javascript,URL.canParse = () => { throw new TypeError("broken in here"); };';
  const { code, stderr } = await runNode(['--import', broken, SCRIPT, 'replay', RECORDING, '--endpoint', 'http://h']);
  expect(code).toBe(1);
  expect(faults(stderr)).toEqual([expect.stringMatching(/please report it: broken in here \[HO_INTERNAL\]$/)]);
});

describe('demo', () => {
  it('ends without a terminal, with the command that shows the page', async () => {
    const { code, stdout } = await run(['demo']);
    expect(code).toBe(0);
    expect(stdout).toContain('\nThe same in the browser:\n  node packages/cli/bin/hermes-observer.js demo --web\n');
    expect(stdout).not.toContain('http://127.0.0.1');
    expect((await run(['demo', '--no-web'])).code).toBe(0);
  });

  it('serves the page with --web until a signal ends it', async () => {
    const child = spawn(process.execPath, [SCRIPT, 'demo', '--web'], { env: { ...process.env, CI: 'true' } });
    let shown = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      shown += chunk;
      const [, address] = /Open (\S+)\nCtrl-C ends it\.\n/.exec(shown) ?? [];
      if (address === undefined) continue;
      const page = await fetch(address, { redirect: 'manual' });
      expect(page.status).toBe(303);
      expect(page.headers.get('set-cookie')).toContain('HttpOnly');
      child.kill('SIGINT');
    }
    expect(shown).toContain('» Three tools at once');
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(0);
  });

  it('shows each file of a folder', async () => {
    const ofFolder = await run(['view', 'packages/cli/demo']);
    expect(ofFolder.code).toBe(0);
    expect(ofFolder.stdout).toContain('\n6 traces · ');
  });
});

describe('the command as it was started', () => {
  const commands = (stdout: string) => /\n {2}(.*) replay FILE --otlp-file OUT\n/.exec(stdout)?.[1];

  it('is a path when it was a path', async () => {
    const { stdout } = await run(['demo']);
    expect(commands(stdout)).toBe('node packages/cli/bin/hermes-observer.js');
    expect(stdout).not.toContain('npx');
  });

  it('is that path from another folder', () => {
    const { stdout } = spawnSync(process.execPath, [SCRIPT, 'demo'], { cwd: folder, encoding: 'utf8' });
    expect(commands(stdout)).toBe(`node ${relative(folder, SCRIPT)}`);
  });

  it('is its name when it was its name', async () => {
    symlinkSync(SCRIPT, at('hermes-observer'));
    const { stdout } = await runNode([at('hermes-observer'), 'demo']);
    expect(commands(stdout)).toBe('hermes-observer');
  });
});

describe('options', () => {
  it('takes --debug before the command and after it', async () => {
    const before = await run(['--debug', 'view', at('none')]);
    const after = await run(['view', at('none'), '--debug']);
    expect(before.stderr).toMatch(/\n {4}at /);
    expect(after.stderr).toBe(before.stderr);
    expect((await run(['view', at('none')])).stderr).not.toMatch(/\n {4}at /);
  });

  it.each([
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '0' }, false],
    [{ FORCE_COLOR: 'false' }, false],
  ])('takes %j', async (env, expected) => {
    const { stdout } = await run(['view', RECORDING], { env: { NO_COLOR: '', ...env } });
    expect(stdout.includes('\x1b[')).toBe(expected);
  });

  it('shows content with --content alone, in view and demo alike', async () => {
    for (const command of [['view', RECORDING], ['demo']]) {
      expect((await run([...command, '--capture', 'full'])).stdout).not.toContain('asked:');
      expect((await run([...command, '--content'])).stdout).toContain('asked:');
    }
  });

  it('takes resource attributes from the environment', async () => {
    const resource = async (env: Record<string, string>, ...args: string[]) => {
      const { stdout } = await run(['replay', RECORDING, '--otlp-file', '-', ...args], { env });
      const { attributes } = JSON.parse(stdout.split('\n')[0] ?? '').resourceSpans[0].resource;
      return Object.fromEntries(
        (attributes as { key: string; value: { stringValue: string } }[]).map(({ key, value }) => [
          key,
          value.stringValue,
        ]),
      );
    };
    const env = { OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=a%20b' };
    expect(await resource(env)).toMatchObject({ 'deployment.environment.name': 'test', 'service.name': 'a b' });
    expect(await resource({ ...env, OTEL_SERVICE_NAME: 'c' })).toMatchObject({ 'service.name': 'c' });
    expect(await resource({ ...env, OTEL_SERVICE_NAME: 'c' }, '--service-name', 'd')).toMatchObject({
      'service.name': 'd',
      'deployment.environment.name': 'test',
    });
  });
});

describe('an endpoint', () => {
  it('that refuses spans is named, with how many were lost, and the next batch is sent', async () => {
    let requests = 0;
    const server = createServer(async (request, response) => {
      await text(request);
      response.writeHead(requests++ === 0 ? 401 : 200).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const lines = readFileSync(RECORDING, 'utf8').trim().split('\n');
    const turns = Array.from({ length: 100 }, (_, i) =>
      lines.map((line) => line.replaceAll(/"(turn_id|session_id|task_id|producer)":"/g, `$&${i}-`)).join('\n'),
    );
    writeFileSync(at('many'), `${turns.join('\n')}\n`);
    const { code, stderr } = await run(['replay', at('many'), '--endpoint', endpoint]);
    server.close();
    expect(code).toBe(1);
    expect(faults(stderr)).toEqual([
      `hermes-observer: ${endpoint}/v1/traces refuses: Unauthorized (HTTP 401); check its address and key [HO_EXPORT_FAILED]`,
      `hermes-observer: 512 spans were not delivered to ${endpoint}/v1/traces [HO_EXPORT_FAILED]`,
    ]);
    expect(requests).toBe(2);
    expect(stderr).toMatch(/2000 records, 88 spans\n$/);
  });
});
