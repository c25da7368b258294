import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually, LineClient } from '../listeners/memory-service.test-support.js';
import { demoPath } from './demo.js';

const BIN = fileURLToPath(new URL('../../bin/hermes-observer.js', import.meta.url));
const RECORDING = readFileSync(demoPath('c-parallel-tools.ndjson'), 'utf8');
const LAST_SEQ = 20;

let folder: string;
let ends: (() => void)[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'serve-'));
  ends = [() => rmSync(folder, { recursive: true, force: true })];
});
afterEach(() => {
  for (const end of ends) end();
});

/** A backend that keeps the names of spans, and answers when it may. */
class Sink {
  readonly names: string[] = [];
  readonly #server: Server;
  isHanging = false;
  /** Requests that it has left without an answer. */
  unanswered = 0;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const { resourceSpans } = JSON.parse(await text(request)) as {
        resourceSpans: { scopeSpans: { spans: { name: string }[] }[] }[];
      };
      if (this.isHanging) {
        this.unanswered++;
        return;
      }
      const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
      this.names.push(...spans.map(({ name }) => name));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await new Promise((resolve) => this.#server.once('listening', resolve));
    ends.unshift(() => {
      this.#server.closeAllConnections();
      this.#server.close();
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
}

interface Running {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  out: string;
  err: string;
}

function run(args: readonly string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      HERMES_OBSERVER_DATA: join(folder, 'data'),
      HERMES_OBSERVER_HTTP_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  ends.unshift(() => child.kill('SIGKILL'));
  const running: Running = {
    child,
    exited: new Promise((resolve) => child.once('close', resolve)),
    out: '',
    err: '',
  };
  child.stdout?.on('data', (chunk: Buffer) => {
    running.out += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    running.err += chunk;
  });
  return running;
}

const socketPath = () => join(folder, 'data/run/observer.sock');

async function serve(env: Record<string, string> = {}): Promise<Running> {
  const running = run(['serve'], env);
  await eventually(() => running.out.includes('exporter') || running.child.exitCode !== null);
  return running;
}

async function sendRecording(): Promise<LineClient> {
  const client = new LineClient(socketPath());
  ends.unshift(() => client.socket.destroy());
  client.send(RECORDING);
  await client.acked(LAST_SEQ);
  return client;
}

describe('serve', () => {
  it('takes no file for the switch of agents, and says that it has no policy', async () => {
    const wrong = run(['serve'], { HERMES_OBSERVER_POLICY: 'policy.yaml' });
    expect(await wrong.exited).toBe(2);
    expect(wrong.err).toContain('HERMES_OBSERVER_POLICY_FILE, or --policy FILE [HO_CONFIG_VALUE]');
    const right = run(['serve'], { HERMES_OBSERVER_POLICY: 'on' });
    await eventually(() => /^policy +none/m.exec(right.out));
    right.child.kill('SIGTERM');
    await right.exited;
  });

  it('acknowledges records of a forwarder, and makes spans of them', async () => {
    const sink = new Sink();
    const running = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: await sink.listen() });
    expect(running.out).toContain(`socket     ${socketPath()}`);
    expect(running.out).toMatch(/http {7}http:\/\/127\.0\.0\.1:\d+, token in .*\/data\/token\n/);
    await sendRecording();
    await eventually(() => sink.names.length === 6);
    expect(sink.names).toContain('invoke_agent hermes');
    const token = join(folder, 'data/token');
    expect(statSync(token).mode & 0o777).toBe(0o600);
    const [, url = ''] = /http {7}(\S+),/.exec(running.out) ?? [];
    const authorization = `Bearer ${readFileSync(token, 'utf8').trim()}`;
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization } });
    expect(await metrics.text()).toMatch(/^hermes_observer_\w+ \d+$/m);
    expect((await fetch(`${url}/v1/status`)).status).toBe(401);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('says where each exporter and signal goes, and its help is without links', async () => {
    writeFileSync(
      join(folder, 'where.yaml'),
      JSON.stringify({
        exporters: [
          { name: 'events', kind: 'atof', file: 'events.jsonl' },
          { name: 'trajectories', kind: 'atif', folder: 'trajectories' },
        ],
        metrics: { url: 'http://127.0.0.1:9' },
        logs: { url: 'http://127.0.0.1:9/v1/logs' },
      }),
    );
    const running = run(['serve', '--config', join(folder, 'where.yaml')]);
    await eventually(() => running.out.includes('trajectories:'));
    expect(running.out).toContain(`exporter   events: ${join(folder, 'events.jsonl')}\n`);
    expect(running.out).toContain(`exporter   trajectories: ${join(folder, 'trajectories')}\n`);
    expect(running.out).toContain('metrics    http://127.0.0.1:9/v1/metrics\n');
    expect(running.out).toContain('logs       http://127.0.0.1:9/v1/logs\n');
    const help = run(['serve', '--help']);
    expect(await help.exited).toBe(0);
    expect(help.out).toContain('--cost <on|off>');
    expect(help.out).not.toMatch(/\]\s*\(|\.md/);
  });

  it('on SIGTERM hands over all that was acknowledged, and goes', async () => {
    const sink = new Sink();
    const running = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: await sink.listen() });
    await sendRecording();
    const began = Date.now();
    running.child.kill('SIGTERM');
    expect(await running.exited).toBe(0);
    expect(Date.now() - began).toBeLessThan(10_000);
    expect(sink.names).toHaveLength(6);
    expect(existsSync(socketPath())).toBe(false);
  });

  it('with a backend that hangs still goes in time, and sends after the next start', async () => {
    const sink = new Sink();
    sink.isHanging = true;
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await sink.listen() };
    const running = await serve(env);
    await sendRecording();
    const began = Date.now();
    running.child.kill('SIGTERM');
    await running.exited;
    expect(Date.now() - began).toBeLessThan(10_000);
    sink.isHanging = false;
    await serve(env);
    await eventually(() => sink.names.length >= 6);
  }, 40_000);

  it('ends at once on a second signal, and loses nothing by it', async () => {
    const sink = new Sink();
    sink.isHanging = true;
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await sink.listen() };
    const running = await serve(env);
    await sendRecording();
    // With nothing under way it is over before a second signal can come.
    await eventually(() => sink.unanswered > 0);
    const began = Date.now();
    running.child.kill('SIGINT');
    await eventually(() => running.err.includes('SIGINT: stopping'));
    running.child.kill('SIGINT');
    expect(await running.exited).toBe(1);
    expect(Date.now() - began).toBeLessThan(3_000);
    sink.isHanging = false;
    await serve(env);
    await eventually(() => sink.names.length >= 6);
  });

  it('takes over after one that was killed', async () => {
    const sink = new Sink();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await sink.listen() };
    const first = await serve(env);
    first.child.kill('SIGKILL');
    await first.exited;
    expect(existsSync(socketPath())).toBe(true);
    await serve(env);
    await sendRecording();
    await eventually(() => sink.names.length === 6);
  });

  it('takes what a forwarder left on disk', async () => {
    const sink = new Sink();
    mkdirSync(join(folder, 'data/forwarder'), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'data/forwarder/a5eef7af0261a35a-1-000001.ndjson'), RECORDING);
    await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: await sink.listen() });
    await eventually(() => sink.names.length === 6);
    await eventually(() => readdirSync(join(folder, 'data/forwarder')).length === 0);
  });

  it('is refused where one runs already, or the port is taken', async () => {
    const first = await serve();
    const second = run(['serve']);
    expect(await second.exited).toBe(2);
    expect(second.err).toBe(`hermes-observer: a service listens on ${socketPath()} already [HO_SERVICE_RUNNING]\n`);
    const [, port = ''] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(first.out) ?? [];
    const third = run(['serve', '--port', port, '--data', join(folder, 'other')]);
    expect(await third.exited).toBe(2);
    expect(third.err).toContain('EADDRINUSE; end what listens there, or set http.port [HO_LISTEN_FAILED]\n');
    expect(existsSync(join(folder, 'other/run/observer.sock'))).toBe(false);
  });

  it('says in one line what is wrong with the configuration', async () => {
    const file = join(folder, 'c.yaml');
    writeFileSync(file, 'http:\n  prot: 1\n');
    const running = run(['serve', '--config', file]);
    expect(await running.exited).toBe(2);
    expect(running.err).toBe(
      `hermes-observer: ${file}:2: unknown setting http.prot; did you mean http.port? [HO_CONFIG_KEY]\n`,
    );
  });
});

describe('config', () => {
  it('shows what is in force as JSON, with no secret', async () => {
    const running = run(['config', '--json', '--port', '5000'], { HERMES_OBSERVER_TOKEN: 'a-secret-of-the-test' });
    expect(await running.exited).toBe(0);
    const { settings } = JSON.parse(running.out) as { settings: { key: string; value: unknown; origin: string }[] };
    expect(settings).toContainEqual({ key: 'http.port', value: 5000, origin: '--port' });
    expect(settings).toContainEqual({ key: 'token', value: '****', origin: 'HERMES_OBSERVER_TOKEN' });
    expect(running.out).not.toContain('a-secret');
  });
});

describe('install and check', () => {
  it('say what they need', async () => {
    mkdirSync(join(folder, '.hermes'));
    const asked = run(['install', 'hermes']);
    expect(await asked.exited).toBe(2);
    expect(asked.err).toContain('--yes agrees [HO_INSTALL]');
    expect(await run(['install', 'hermes', '--yes']).exited).toBe(0);
    const checked = run(['check', '--json']);
    expect(await checked.exited).toBe(1);
    const { ok, findings } = JSON.parse(checked.out) as { ok: boolean; findings: { id: string; level: string }[] };
    expect(ok).toBe(false);
    expect(findings).toContainEqual({ id: 'plugin', level: 'ok', text: expect.stringContaining('enabled') });
    expect(findings.find(({ id }) => id === 'service')?.level).toBe('fault');
  });
});

it('check ends with 0 while traces arrive, and with 1 when they cannot', async () => {
  mkdirSync(join(folder, '.hermes'));
  expect(await run(['install', 'hermes', '--yes']).exited).toBe(0);
  const sink = new Sink();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await sink.listen() };
  const running = await serve(env);
  await sendRecording();
  const good = run(['check', '--json'], env);
  expect(await good.exited).toBe(0);
  const { ok, findings } = JSON.parse(good.out) as { ok: boolean; findings: { level: string; text: string }[] };
  expect([ok, findings.filter(({ level }) => level === 'fault' || level === 'warning')]).toEqual([true, []]);
  expect(sink.names).toContain('hermes-observer check');
  running.child.kill('SIGTERM');
  await running.exited;
  const bad = run(['check'], env);
  expect(await bad.exited).toBe(1);
  expect(bad.out).toMatch(/^FAIL {2}no service answers on .*\n {6}start it: node .*hermes-observer\.js serve/m);
});

it('serve goes on when nobody reads what it says', async () => {
  const running = run(['serve']);
  running.child.stdout?.destroy();
  running.child.stderr?.destroy();
  await eventually(() => existsSync(socketPath()));
  await sendRecording();
  expect(running.child.exitCode).toBeNull();
  running.child.kill('SIGTERM');
  expect(await running.exited).toBe(0);
});

describe('settings that cannot be used', () => {
  it.each(['serve', 'config'])('%s says so before anything is done, and ends with 2', async (command) => {
    const variable = run([command], { HERMES_OBSERVER_CAPTUR: 'none' });
    expect(await variable.exited).toBe(2);
    expect(variable.err).toBe(
      'hermes-observer: unknown variable HERMES_OBSERVER_CAPTUR; did you mean HERMES_OBSERVER_CAPTURE? [HO_CONFIG_KEY]\n',
    );
    const file = join(folder, 'c.yaml');
    writeFileSync(file, 'exporters: [{ name: a, url: "https://a", ca_file: c.yaml }]\n');
    const certificate = run([command, '--config', file]);
    expect(await certificate.exited).toBe(2);
    expect(certificate.err).toContain(`${file}:1: ca_file of exporter a has no certificate in it: ${file}`);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it('are told by config beside all others', async () => {
    const shown = run(['config', '--json'], { HERMES_OBSERVER_DATA: '/dev/null' });
    expect(await shown.exited).toBe(2);
    const { settings, problems } = JSON.parse(shown.out) as { settings: unknown[]; problems: string[] };
    expect(settings.length).toBeGreaterThan(20);
    expect(problems).toEqual(['HERMES_OBSERVER_DATA: data cannot be used: /dev/null is no folder [HO_CONFIG_VALUE]']);
  });
});
