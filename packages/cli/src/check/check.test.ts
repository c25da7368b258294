import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config/load-config.js';
import { PROTOCOL } from '../listeners/protocol.js';
import { check } from './check.js';
import { type Finding, findingsText } from './finding.js';
import { SPOKEN_PROTOCOL } from './version-findings.js';

let home: string;
let ends: (() => void)[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'check-'));
  ends = [() => rmSync(home, { recursive: true })];
});
afterEach(() => {
  for (const end of ends) end();
});

const hermesHome = () => join(home, '.hermes');

function plugin(config = 'plugins: { enabled: [hermes-observer] }\n', version = '0.1.0'): void {
  mkdirSync(join(hermesHome(), 'plugins/hermes-observer'), { recursive: true });
  writeFileSync(
    join(hermesHome(), 'plugins/hermes-observer/plugin.yaml'),
    `name: hermes-observer\nversion: ${version}\n`,
  );
  writeFileSync(join(hermesHome(), 'config.yaml'), config);
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  ends.unshift(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const backend = (status: number, bodies: string[] = []) =>
  listening(
    createServer(async (request, response) => {
      bodies.push(await text(request));
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    }),
  );

/** An address where nobody listens. */
async function nobody(): Promise<string> {
  const server = createServer();
  const url = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return url;
}

const hello = { protocol: 1, surface: 'tui', profile: 'main', hermes_version: '0.22.2', forwarder_version: '0.1.0' };
const producer = (more: object = {}) => ({
  producer: 'abcdefghij',
  hello,
  lastSeen: 1_000_000,
  records: 5,
  missing: 0,
  dropped: {},
  hooks: ['pre_llm_call'],
  ...more,
});

/** Something that tells what a service would. */
async function service(status: object = {}, port = '1'): Promise<void> {
  const path = join(home, 'observer.sock');
  const all = {
    protocol: 1,
    version: '0.1.0',
    http: `http://127.0.0.1:${port}`,
    producers: [producer()],
    exporters: [{ name: 'otlp' }],
    ...status,
  };
  const server = createSocketServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(`${JSON.stringify({ status: all, id: 0 })}\n`));
  }).listen(path);
  await new Promise((resolve) => server.once('listening', resolve));
  ends.unshift(() => server.close());
}

async function findings(env: Record<string, string> = {}): Promise<Finding[]> {
  const all = {
    HOME: home,
    PATH: '',
    HERMES_OBSERVER_SOCKET: join(home, 'observer.sock'),
    HERMES_OBSERVER_HTTP_ENABLED: 'false',
    ...env,
  };
  const config = await loadConfig({ env: all });
  const found = await check({ config, version: '0.1.0', env: all, now: 1_060_000 });
  for (const { level, mend, text } of found) {
    if (level === 'fault' || level === 'warning') expect([text, mend]).toEqual([text, expect.any(String)]);
  }
  return found;
}

const of = (all: readonly Finding[], id: string) =>
  all.filter((one) => one.id === id).map(({ level, text }) => [level, text]);

describe('check', () => {
  it('finds nothing wrong where nothing is', async () => {
    plugin();
    await service();
    const bodies: string[] = [];
    const all = await findings({ OTEL_EXPORTER_OTLP_ENDPOINT: await backend(200, bodies) });
    expect(all.filter(({ level }) => level !== 'ok')).toEqual([]);
    expect(findingsText(all)).toContain('ok    tui of profile main (abcdefgh): 5 records, the last 60 s ago\n');
    expect(bodies[0]).toContain('hermes-observer-check');
  });

  it.each([
    ['plugins: { enabled: [other] }\n', 'not enabled in'],
    ['', 'not enabled in'],
    ['plugins: { enabled: [hermes-observer], disabled: [hermes-observer] }\n', 'plugins.disabled'],
    ['plugins: [\n', 'no YAML'],
  ])('says that the plugin is not enabled by %j', async (config, problem) => {
    plugin(config);
    expect(of(await findings(), 'plugin')).toEqual([['fault', expect.stringContaining(problem)]]);
  });

  it('says that the plugin is not installed, and finds one of pip', async () => {
    mkdirSync(hermesHome());
    expect(of(await findings(), 'plugin')).toEqual([['fault', expect.stringContaining('not installed')]]);
    const packages = join(hermesHome(), 'hermes-agent/venv/lib/python3.12/site-packages');
    mkdirSync(join(packages, 'hermes_observer_hermes_agent-0.1.0.dist-info'), { recursive: true });
    mkdirSync(join(packages, 'hermes_agent-0.21.2.dist-info'));
    writeFileSync(join(hermesHome(), 'config.yaml'), 'plugins: { enabled: [hermes-observer] }\n');
    const all = await findings();
    expect(of(all, 'plugin')).toEqual([['ok', 'the plugin 0.1.0 is installed and enabled']]);
    expect(of(all, 'agent')).toEqual([['warning', expect.stringContaining('0.21.2 drops hook calls that overlap')]]);
  });

  it('says that no service runs', async () => {
    expect(of(await findings(), 'service')).toEqual([['fault', expect.stringContaining('no service answers on')]]);
  });

  it('says that a service takes nothing', async () => {
    await service({ is_paused: true });
    expect(of(await findings(), 'service')[1]).toEqual(['fault', expect.stringContaining('takes no records')]);
  });

  it('says that a port is wrong: of the configuration, and of the forwarder', async () => {
    await service({}, '4899');
    const other = await backend(404);
    const closed = await nobody();
    const all = await findings({
      HERMES_OBSERVER_HTTP_ENABLED: 'true',
      HERMES_OBSERVER_HTTP_PORT: new URL(other).port,
      HERMES_OBSERVER_URL: closed,
    });
    expect(of(all, 'http')).toEqual([
      ['warning', expect.stringContaining('the service listens on http://127.0.0.1:4899')],
    ]);
    expect(of(all, 'url')).toEqual([
      ['warning', `HERMES_OBSERVER_URL ${closed} does not reach a service: ECONNREFUSED`],
    ]);
  });

  it('says what an endpoint does not like', async () => {
    const at = async (url: string) => of(await findings({ OTEL_EXPORTER_OTLP_ENDPOINT: url }), 'exporter');
    expect(await at(await nobody())).toEqual([['fault', expect.stringContaining('cannot be reached: ECONNREFUSED')]]);
    expect(await at(await backend(401))).toEqual([
      ['fault', expect.stringContaining('asks for authentication (HTTP 401)')],
    ]);
    expect(await at(await backend(404))).toEqual([
      ['fault', expect.stringContaining('takes no traces at this address')],
    ]);
    expect(await at(await backend(503))).toEqual([['warning', expect.stringContaining('HTTP 503')]]);
    expect(of(await findings(), 'exporter')).toEqual([['fault', 'no exporter is set, so spans go nowhere']]);
  });

  it('tells the exporters of the service that runs from those of the configuration', async () => {
    await service({ exporters: [{ name: 'file', sentSpans: 3, lastError: 'disk full' }] });
    expect(of(await findings(), 'exporter')).toEqual([
      ['warning', 'the service sends to file, which this configuration does not name: 3 spans so far, and disk full'],
    ]);
    expect(of(await findings({ OTEL_EXPORTER_OTLP_ENDPOINT: await backend(200) }), 'exporter')).toContainEqual([
      'fault',
      'the service that runs does not send to otlp',
    ]);
  });

  it('says that versions do not fit', async () => {
    plugin(undefined, '0.0.9');
    const forwarder = { ...hello, protocol: 2, forwarder_version: '9.0.0' };
    await service({ version: '0.0.8', producers: [producer({ hello: forwarder })] });
    expect(of(await findings(), 'versions')).toEqual([
      ['warning', 'the plugin in the agent is 0.0.9, this command 0.1.0'],
      ['warning', 'the service that runs is 0.0.8, this command 0.1.0'],
      ['fault', expect.stringContaining('speaks protocol 2 (forwarder 9.0.0), the service 1')],
    ]);
    expect(SPOKEN_PROTOCOL).toBe(PROTOCOL);
  });

  it('says that there never was a record', async () => {
    await service({ producers: [] });
    expect(of(await findings(), 'records')).toEqual([['fault', 'the service has never had a record']]);
  });

  it('says which hooks never fired, and what was lost and why', async () => {
    const hooks = ['pre_llm_call', 'pre_api_request', 'post_api_request', 'on_session_end', 'pre_command'];
    const dropped = { queue_full: 3, disk: 0 };
    await service({
      producers: [producer({ records: 50, hello: { ...hello, hooks }, missing: 2, dropped })],
      exporters: [{ name: 'otlp', lostSpans: 7, lastError: 'HTTP 400' }],
    });
    const all = await findings({ OTEL_EXPORTER_OTLP_ENDPOINT: await backend(200) });
    expect(of(all, 'hooks')).toEqual([
      ['warning', expect.stringContaining('never fired: pre_api_request, post_api_request, on_session_end')],
      ['note', 'never fired yet: pre_command'],
    ]);
    expect(of(all, 'lost')).toEqual([
      ['warning', 'tui of profile main (abcdefgh) lost records: 3 (queue_full), 2 missing by number'],
      ['warning', 'otlp did not get 7 spans: HTTP 400'],
    ]);
  });

  it('says that a forwarder writes to a file, or has settings it cannot use', async () => {
    plugin('plugins: { enabled: [hermes-observer], entries: { hermes-observer: { settings: { file: /x } } } }\n');
    await service({ producers: [producer({ hello: { ...hello, problems: ['CAPTURE must be none'] } })] });
    const all = await findings();
    expect(of(all, 'plugin')[1]).toEqual([
      'fault',
      expect.stringContaining('writes to a file'.replace('writes', 'write')),
    ]);
    expect(of(all, 'records')).toEqual([['warning', expect.stringContaining('it says: CAPTURE must be none')]]);
  });

  it('is not upset by a service that tells nonsense', async () => {
    await service({ producers: [null, 5, { producer: 'x', hello: 5, hooks: 'no' }], exporters: 'no', version: null });
    expect((await findings()).length).toBeGreaterThan(2);
  });
});
