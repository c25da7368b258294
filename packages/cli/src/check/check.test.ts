import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { hookSchemas } from '@hermes-observer/core/schema';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CERTIFICATE, CERTIFICATE_KEY } from '../config/certificate.test-support.js';
import { loadConfig } from '../config/load-config.js';
import { PROTOCOL } from '../listeners/protocol.js';
import { UNNAMED } from '../service/intake/producers.js';
import { check } from './check.js';
import { type Finding, findingsText } from './finding.js';
import { HOOK_GROUPS, NEEDED_HOOKS, PAIRS } from './hook-groups.js';
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
    server.closeAllConnections?.();
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

  it('takes reports of a policy for no agent', async () => {
    plugin();
    await service({ producers: [producer({ producer: 'policy-0123456789abcdef', hello: undefined })] });
    expect(of(await findings(), 'records')[0]?.[1]).toMatch(/has never had a record/);
  });

  it('says whether policy is on in the agent, and what holds while the service is away', async () => {
    plugin();
    const on = (more: object) => producer({ hello: { ...hello, policy: 'on', ...more } });
    await service({ producers: [on({ policy_unreachable: 'block' })] });
    expect(of(await findings(), 'records')[0]?.[1]).toMatch(/ago, policy: on$/);
    for (const end of ends.splice(0, 1)) end();
    await service({ producers: [on({ policy_unreachable: 'allow' })] });
    expect(of(await findings(), 'records')[0]?.[1]).toMatch(/ago, policy: on \(not while the service is away\)$/);
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
      ['warning', `HERMES_OBSERVER_URL ${closed} does not reach a service: nothing listens there (ECONNREFUSED)`],
    ]);
  });

  it('says what an endpoint does not like', async () => {
    const at = async (url: string) => of(await findings({ OTEL_EXPORTER_OTLP_ENDPOINT: url }), 'exporter');
    expect(await at(await nobody())).toEqual([
      ['fault', expect.stringContaining('cannot be reached: nothing listens there (ECONNREFUSED)')],
    ]);
    expect(await at(await backend(401))).toEqual([
      ['fault', expect.stringContaining('asks for authentication (HTTP 401; no headers are set)')],
    ]);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await backend(403), OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret' };
    const refused = await findings(env);
    expect(of(refused, 'exporter')).toEqual([
      ['fault', expect.stringContaining('asks for authentication (HTTP 403; it got the headers x-key)')],
    ]);
    expect(JSON.stringify(refused)).not.toContain('secret');
    expect(await at(await backend(404))).toEqual([
      ['fault', expect.stringContaining('takes no traces at this address')],
    ]);
    expect(await at(await backend(503))).toEqual([['warning', expect.stringContaining('HTTP 503')]]);
    expect(of(await findings(), 'exporter')).toEqual([['fault', 'no exporter is set, so spans go nowhere']]);
    await service({ exporters: [], counts: [{ name: 'viewer_traces', value: 0 }] });
    expect(of(await findings(), 'exporter')).toEqual([
      ['note', 'no exporter is set: spans are shown in the viewer only'],
    ]);
  });

  it('tells the exporters of the service that runs from those of the configuration', async () => {
    await service({ exporters: [{ name: 'file', sentSpans: 3, lastError: 'disk full' }] });
    expect(of(await findings(), 'exporter')).toEqual([
      ['warning', 'the service was started with the exporter file: 3 spans so far, and disk full'],
    ]);
    expect(of(await findings({ OTEL_EXPORTER_OTLP_ENDPOINT: await backend(200) }), 'exporter')).toContainEqual([
      'fault',
      'the service that runs does not send to otlp, which this configuration names',
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

  it('takes records without a name for an agent, whose hooks it does not miss', async () => {
    await service({ producers: [producer({ producer: UNNAMED, hello: undefined, records: 50 })] });
    const all = await findings({ OTEL_EXPORTER_OTLP_ENDPOINT: await backend(200) });
    const text = 'agents without a name, such as Claude Code: 50 records, the last 60 s ago';
    expect(of(all, 'records')).toEqual([['ok', text]]);
    expect(of(all, 'hooks')).toEqual([]);
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
      [
        'warning',
        expect.stringContaining('never fired in 50 records: pre_api_request, post_api_request, on_session_end'),
      ],
      ['note', 'never fired yet, and make no spans: commands and skills (1)'],
    ]);
    expect(of(all, 'lost')).toEqual([
      ['warning', 'tui of profile main (abcdefgh) lost records: 3 (queue_full), 2 missing by number'],
      ['warning', 'otlp did not get 7 spans, which were given up: HTTP 400'],
    ]);
  });

  it('groups the hooks that never fired by what traces are without', async () => {
    const hooks = [...HOOK_GROUPS.flatMap((group) => group.hooks), 'on_something_new'];
    const fired = [...NEEDED_HOOKS, 'post_llm_call', 'pre_tool_call'];
    await service({ producers: [producer({ records: 50, hello: { ...hello, hooks }, hooks: fired })] });
    const all = (await findings()).filter(({ id }) => id === 'hooks');
    expect(all.map(({ text }) => text)).toEqual([
      'never fired, though what they end did: post_tool_call',
      'never fired yet, and in traces once they do: tools, failed requests, side requests, subagents, approvals, questions to people',
      'never fired yet, and make no spans: sessions (3), changes by plugins (5), gateways (5), commands and skills (2), speech (2), streams (4), kanban (8), others (1)',
    ]);
    const { kanban, others } = (all[2]?.details?.never_fired ?? {}) as Record<string, string[]>;
    expect([kanban?.length, others]).toEqual([8, ['on_something_new']]);
    const named = all.slice(1).flatMap(({ details }) => Object.values(details?.never_fired as object).flat());
    expect(named.sort()).toEqual(hooks.filter((hook) => !fired.includes(hook)).sort());
  });

  it('knows every hook of the contract, once', () => {
    const known = HOOK_GROUPS.flatMap((group) => group.hooks);
    expect(known.toSorted()).toEqual(
      Object.keys(hookSchemas)
        .filter((name) => !name.startsWith('observer_'))
        .sort(),
    );
    expect(known).toEqual(expect.arrayContaining([...NEEDED_HOOKS, ...PAIRS.flat()]));
  });

  it('trusts the authority of an exporter, and says what is wrong with the certificate of one', async () => {
    const bodies: string[] = [];
    const server = createTlsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, async (request, response) => {
      bodies.push(await text(request));
      response.setHeader('content-type', 'application/json').end('{}');
    });
    const url = (await listening(server)).replace('http://127.0.0.1', 'https://localhost');
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
    expect(of(await findings(env), 'exporter')).toEqual([
      ['fault', expect.stringMatching(/is not trusted: its certificate is signed by itself \(DEPTH_ZERO_/)],
    ]);
    const ca = join(home, 'ca.pem');
    writeFileSync(ca, CERTIFICATE);
    expect(of(await findings({ ...env, OTEL_EXPORTER_OTLP_CERTIFICATE: ca }), 'exporter')).toEqual([
      ['ok', expect.stringContaining('takes spans')],
    ]);
    expect(bodies).toHaveLength(1);
    expect(of(await findings({ OTEL_EXPORTER_OTLP_ENDPOINT: url.replace('https', 'http') }), 'exporter')[0]).toEqual([
      'fault',
      expect.stringContaining('cannot be reached'),
    ]);
    expect(
      of(await findings({ OTEL_EXPORTER_OTLP_ENDPOINT: (await backend(200)).replace('http', 'https') }), 'exporter'),
    ).toEqual([['fault', expect.stringContaining('cannot be reached: it speaks no TLS')]]);
  });

  it('says that an endpoint is one for gRPC, a web page, or does not answer', async () => {
    const at = async (server: Server) =>
      (await findings({ OTEL_EXPORTER_OTLP_ENDPOINT: await listening(server) })).find(({ id }) => id === 'exporter');
    const grpc = createSocketServer((socket) =>
      socket.on('error', () => {}).write(Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0])),
    );
    expect((await at(grpc as never))?.text).toContain('it does not speak HTTP/1.1, so it may be a port for gRPC');
    const page = createServer((_, response) => response.end('<html>'));
    expect((await at(page))?.text).toContain('answers, and not as a receiver of OTLP does (HTTP 200)');
    const silent = createServer(() => {});
    expect((await at(silent))?.text).toContain('cannot be reached: no answer in time');
  }, 20_000);

  it('says which settings keep a service from starting', async () => {
    const all = await findings({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_CERTIFICATE: home,
    });
    expect(of(all, 'settings')).toEqual([
      ['fault', expect.stringContaining('ca_file of exporter otlp cannot be read')],
    ]);
  });

  it('says how much waits for a service that is away', async () => {
    const data = join(home, 'data');
    mkdirSync(join(data, 'forwarder'), { recursive: true });
    writeFileSync(join(data, 'forwarder/a-1-000001.ndjson'), '');
    expect(of(await findings({ HERMES_OBSERVER_DATA: data }), 'waiting')).toEqual([
      ['note', `1 file of records waits in ${data}/forwarder for the next start`],
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

  it('says that hooks of Claude Code gave events up', async () => {
    const dropped = { spool_full: 7 };
    await service({ producers: [producer(), { ...producer({ producer: 'claude-code', dropped }), hello: undefined }] });
    expect(of(await findings(), 'lost')).toEqual([['warning', 'Claude Code lost records: 7 (spool_full)']]);
  });

  it('is not upset by a service that tells nonsense', async () => {
    await service({ producers: [null, 5, { producer: 'x', hello: 5, hooks: 'no' }], exporters: 'no', version: null });
    expect((await findings()).length).toBeGreaterThan(2);
  });
});
