import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type ConfigSources, loadConfig } from './load-config.js';
import { serviceOptions } from './service-options.js';
import type { SettingKey } from './settings.js';
import { configText, shownSettings } from './show-config.js';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const HOME = join(folder, 'home');

let files = 0;
function fileOf(text: string): string {
  const path = join(folder, `config-${++files}.yaml`);
  writeFileSync(path, text);
  return path;
}

const load = (sources: Omit<ConfigSources, 'env'> & { env?: Record<string, string> } = {}) =>
  loadConfig({ cwd: folder, ...sources, env: { HOME, ...sources.env } });
const loadText = (text: string, env: Record<string, string> = {}) => load({ file: fileOf(text), env });
/** What is told of a file, with its path cut off. */
async function faultOf(text: string, env?: Record<string, string>) {
  const error = await loadText(text, env).then(
    () => undefined,
    (thrown: Error & { code: string }) => thrown,
  );
  return error === undefined
    ? undefined
    : [error.code, error.message.replace(`${folder}/`, '').replace(/config-\d+/, 'c')];
}

describe('loadConfig', () => {
  it('knows the places of the protocol without any file', async () => {
    const { values, origins, hasFile, file } = await load();
    expect(values).toMatchObject({
      data: join(HOME, '.local/state/hermes-observer'),
      socket: join(HOME, '.local/state/hermes-observer/run/observer.sock'),
      'http.host': '127.0.0.1',
      'http.port': 4890,
      capture: 'none',
      'journal.history': 7 * 86_400_000,
      'limits.line_bytes': 16 * 1024 * 1024,
    });
    expect(values.exporters).toBeUndefined();
    expect([origins.data, hasFile, file]).toEqual([
      'default',
      false,
      join(HOME, '.config/hermes-observer/config.yaml'),
    ]);
  });

  it('takes the XDG folders, and ignores relative ones', async () => {
    const { values } = await load({ env: { XDG_STATE_HOME: '/state', XDG_RUNTIME_DIR: '/run/me' } });
    expect([values.data, values.socket]).toEqual(['/state/hermes-observer', '/run/me/hermes-observer/observer.sock']);
    const { values: relative } = await load({ env: { XDG_STATE_HOME: 'state' } });
    expect(relative.data).toBe(join(HOME, '.local/state/hermes-observer'));
  });

  it('puts flags before variables before the file, and says where each came from', async () => {
    const file = fileOf('http:\n  port: 1\n  host: 0.0.0.0\ncapture: full\nagent_name: me\n');
    const { values, origins } = await load({
      file,
      env: { HERMES_OBSERVER_HTTP_PORT: '2', HERMES_OBSERVER_CAPTURE: 'redacted' },
      flags: { 'http.port': '3' },
    });
    expect([values['http.port'], values.capture, values.agent_name, values['http.host']]).toEqual([
      3,
      'redacted',
      'me',
      '0.0.0.0',
    ]);
    expect([origins['http.port'], origins.capture, origins.agent_name]).toEqual([
      '--port',
      'HERMES_OBSERVER_CAPTURE',
      `${file}:5`,
    ]);
  });

  it('starts relative paths at where they are written', async () => {
    const { values } = await load({ file: fileOf('data: ./data\nsocket: ~/s.sock\n') });
    expect([values.data, values.socket]).toEqual([join(folder, 'data'), join(HOME, 's.sock')]);
    const { values: flagged } = await load({ flags: { data: 'there' }, cwd: '/somewhere' });
    expect(flagged.data).toBe('/somewhere/there');
  });

  it('has the exporter that the standard variables describe, if the file names none', async () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h:4318/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc,x=1',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '2500',
      OTEL_SERVICE_NAME: 'mine',
    };
    const { values, origins } = await load({ env });
    expect(values.exporters).toEqual([
      {
        name: 'otlp',
        kind: 'otlp',
        url: 'http://h:4318/v1/traces',
        headers: { authorization: 'Basic abc', x: '1' },
        timeout: 2500,
        compression: 'none',
        protocol: 'http/json',
      },
    ]);
    expect([origins.exporters, values.service_name]).toEqual(['OTEL_EXPORTER_OTLP_ENDPOINT', 'mine']);
    const exact = await load({ env: { ...env, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t:1/own' } });
    expect(exact.values.exporters?.[0]?.url).toBe('http://t:1/own');
    const named = await loadText('exporters: [{ name: a, url: "http://a:1" }]', env);
    expect(named.values.exporters?.map(({ name }) => name)).toEqual(['a']);
    expect((await load({ env: { ...env, OTEL_TRACES_EXPORTER: 'none' } })).values.exporters).toBeUndefined();
  });

  it.each(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])(
    'takes the address of the service itself in %s for no backend',
    async (name) => {
      const { values, ownEndpoint } = await load({ env: { [name]: 'http://localhost:4890' } });
      expect([values.exporters, ownEndpoint]).toEqual([undefined, name]);
      const elsewhere = await load({ env: { [name]: 'http://localhost:4890', HERMES_OBSERVER_HTTP_PORT: '4891' } });
      expect([elsewhere.values.exporters?.length, elsewhere.ownEndpoint]).toEqual([1, undefined]);
    },
  );

  it('sends to the address of a flag what the standard variables say of requests', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h:4318', OTEL_EXPORTER_OTLP_HEADERS: 'x-key=1' };
    const flags = [
      { name: 'endpoint', url: 'http://f:4318' },
      { name: 'file', file: '/f' },
    ];
    const { values } = await load({ env, exporters: flags });
    expect(values.exporters).toMatchObject([
      { name: 'endpoint', url: 'http://f:4318/v1/traces', headers: { 'x-key': '1' } },
      { name: 'file', headers: {} },
    ]);
  });

  it.each([
    ['htp:\n  port: 1\n', 'HO_CONFIG_KEY', 'c.yaml:1: unknown setting htp; did you mean http?'],
    [
      'capture: none\nhttp:\n  prot: 1\n',
      'HO_CONFIG_KEY',
      'c.yaml:3: unknown setting http.prot; did you mean http.port?',
    ],
    ['http-port: 1\n', 'HO_CONFIG_KEY', 'c.yaml:1: unknown setting http-port; did you mean http.port?'],
    ['\n\nxyzzyquux: 1\n', 'HO_CONFIG_KEY', 'c.yaml:3: unknown setting xyzzyquux; see docs/serve.md for all settings'],
    [
      'http: 4890\n',
      'HO_CONFIG_KEY',
      'c.yaml:1: http must be a map; give its settings: http.enabled, http.host, http.port, http.allowed_hosts',
    ],
    [
      'metrics: true\n',
      'HO_CONFIG_KEY',
      'c.yaml:1: metrics must be a map; give its settings: metrics.prometheus, metrics.url, metrics.headers, metrics.interval',
    ],
    [
      'cost: { prices: [{ model: m, inpt: 1, output: 2 }] }\n',
      'HO_CONFIG_VALUE',
      'c.yaml:1: cost.prices[0] has no setting inpt; did you mean input?',
    ],
    ['cost: { price: [] }\n', 'HO_CONFIG_VALUE', 'c.yaml:1: cost has no setting price; did you mean prices?'],
    ['a: b: c\n', 'HO_CONFIG_FILE', 'c.yaml:1: Nested mappings are not allowed in compact mappings'],
    ['- a\n', 'HO_CONFIG_FILE', 'c.yaml:1: must be a map of settings'],
    ['capture: none\ncapture: full\n', 'HO_CONFIG_FILE', 'c.yaml:2: Map keys must be unique'],
    [
      'http:\n  port: 70000\n',
      'HO_CONFIG_VALUE',
      "c.yaml:2: http.port must be a whole number from 0 to 65535, not '70000'",
    ],
    ['capture: some\n', 'HO_CONFIG_VALUE', "c.yaml:1: capture must be one of none, redacted, full, not 'some'"],
    [
      'limits:\n  line_bytes: 16\n',
      'HO_CONFIG_VALUE',
      "c.yaml:2: limits.line_bytes must be a size with its unit, such as 64MiB, not '16'",
    ],
    [
      'clock:\n  idle: 30\n',
      'HO_CONFIG_VALUE',
      "c.yaml:2: clock.idle must be a time with its unit, such as 500ms, 30s, 5m, 12h or 7d, not '30'",
    ],
    ['journal: { history: maybe }\n', 'HO_CONFIG_VALUE', expect.stringContaining('; or off')],
    ['token: short\n', 'HO_CONFIG_VALUE', 'c.yaml:1: token must be 16 to 512 visible characters'],
    [
      'exporters:\n  - { name: a, url: ftp://x }\n',
      'HO_CONFIG_VALUE',
      'c.yaml:1: exporters[0].url must be an http or https address, such as http://localhost:4318',
    ],
    [
      'exporters:\n  - { name: a, ulr: http://x }\n',
      'HO_CONFIG_VALUE',
      'c.yaml:1: exporters[0] has no setting ulr; did you mean url?',
    ],
    [
      'exporters:\n  - { name: a }\n',
      'HO_CONFIG_VALUE',
      'c.yaml:1: exporters[0] must have a url or a file, and not both',
    ],
    [
      'exporters:\n  - { name: a, url: "http://x" }\n  - { name: a, url: "http://y" }\n',
      'HO_CONFIG_VALUE',
      'c.yaml:1: two exporters are named a; names must differ',
    ],
  ])('says what is wrong with %j', async (text, code, message) => {
    expect(await faultOf(text)).toEqual([code, message]);
  });

  it('says which variable is wrong', async () => {
    await expect(load({ env: { HERMES_OBSERVER_HTTP_PORT: 'many' } })).rejects.toThrow(
      "HERMES_OBSERVER_HTTP_PORT: http.port must be a whole number from 0 to 65535, not 'many'",
    );
  });

  it('needs a file that was named, and reads one that is empty', async () => {
    await expect(load({ file: 'nowhere.yaml' })).rejects.toMatchObject({ code: 'HO_CONFIG_FILE' });
    await expect(load({ file: folder })).rejects.toMatchObject({ code: 'HO_CONFIG_FILE' });
    expect((await loadText('# nothing\n')).hasFile).toBe(true);
  });

  it('reads the secret of webhooks from a file', async () => {
    writeFileSync(join(folder, 'secret'), 'a secret of its own\nmore\n');
    const { values } = await loadText('webhook:\n  secret_file: secret\n');
    expect(values['webhook.secret']).toBe('a secret of its own');
    expect(await faultOf('webhook:\n  secret_file: none\n')).toEqual([
      'HO_CONFIG_VALUE',
      expect.stringContaining('cannot be read'),
    ]);
  });
});

describe('what is shown', () => {
  it('has no secret in it', async () => {
    const config = await loadText(
      [
        'token: abcdefghijklmnopqrstuvwxyz',
        'webhook: { secret: topsecrettopsecret }',
        'exporters: [{ name: a, url: "https://me:hidden@h/?key=hidden", headers: { authorization: hidden } }]',
      ].join('\n'),
    );
    const text = configText(config) + JSON.stringify(shownSettings(config));
    for (const secret of ['abcdefgh', 'topsecret', 'hidden']) expect(text).not.toContain(secret);
    expect(text).toContain('https://h/v1/traces');
    expect(text).toContain('"authorization":"****"');
  });

  it('writes sizes and times as they are written in the file, and can be read again', async () => {
    const config = await load();
    const shown = Object.fromEntries(shownSettings(config).map(({ key, value }) => [key, value]));
    expect(shown).toMatchObject({
      'limits.body_bytes': '64MiB',
      producer_grace: '1m',
      'journal.history': '7d',
      'delivery.spool_bytes': '1GiB',
      'http.port': 4890,
    });
    const flags = Object.fromEntries(
      Object.entries(shown).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
    ) as Partial<Record<SettingKey, string>>;
    expect((await load({ flags })).values).toEqual(config.values);
  });
});

it('is what the service takes', async () => {
  const config = await loadText('exporters: [{ name: a, url: "http://a:1" }, { name: f, file: /spans/f.jsonl }]');
  const options = serviceOptions(config, { OTEL_RESOURCE_ATTRIBUTES: 'team=a,service.name=b' });
  expect(options).toMatchObject({
    journal: { history: { ageMillis: 604_800_000, bytes: 2 ** 30 }, maxBytes: 8 * 2 ** 30 },
    exporters: [{ kind: 'http', url: 'http://a:1/v1/traces', timeoutMillis: 10_000 }, { kind: 'file' }],
    resourceAttributes: { team: 'a' },
  });
});
