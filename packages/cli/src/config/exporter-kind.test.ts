import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from './load-config.js';
import { serviceOptions } from './service-options.js';
import { configText } from './show-config.js';

const KEYS = { LANGFUSE_PUBLIC_KEY: 'pk-lf-1', LANGFUSE_SECRET_KEY: 'sk-lf-secret' };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kinds-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function load(exporters: readonly object[], env: Record<string, string> = {}) {
  const file = join(folder, 'config.yaml');
  writeFileSync(file, JSON.stringify({ exporters }));
  const all = { HOME: folder, ...env };
  const config = await loadConfig({ file, env: all });
  return { config, targets: serviceOptions(config, all).exporters };
}

const namesOf = (target: object) => (target as { profiles?: { name: string }[] }).profiles?.map(({ name }) => name);

describe('kind: langfuse', () => {
  it('has address, headers, names and size of requests', async () => {
    const { targets } = await load([{ name: 'lf', kind: 'langfuse', headers: { x: '1' } }], KEYS);
    expect(targets).toMatchObject([
      {
        kind: 'http',
        url: 'https://cloud.langfuse.com/api/public/otel/v1/traces',
        headers: {
          authorization: `Basic ${btoa('pk-lf-1:sk-lf-secret')}`,
          'x-langfuse-ingestion-version': '4',
          x: '1',
        },
        protocol: 'http/json',
        maxRequestBytes: 3_500_000,
      },
    ]);
    expect(targets.map(namesOf)).toEqual([['langfuse']]);
  });

  it('prints no key', async () => {
    const own = { name: 'own', kind: 'langfuse', url: 'http://x', public_key: 'pk-own', secret_key: 'sk-own-secret' };
    const { config } = await load([{ name: 'lf', kind: 'langfuse' }, own], KEYS);
    const text = configText(config);
    for (const secret of ['secret', btoa('pk-lf-1:sk-lf-secret'), btoa('pk-own:sk-own-secret')]) {
      expect(text).not.toContain(secret === 'secret' ? 'sk-' : secret);
    }
  });

  it.each([
    [
      { kind: 'langfuse' },
      {},
      /config\.yaml:1: exporter lf: .*LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are not set/,
    ],
    [{ kind: 'langfuse', file: 'x' }, KEYS, /must have a url or a file/],
    [{ kind: 'langfuse', project: 'p' }, KEYS, /exporters\[0\]\.project is a setting of kind: phoenix/],
    [{ kind: 'langfuse', secretkey: 'p' }, KEYS, /has no setting secretkey; did you mean secret_key\?/],
    [{ url: 'http://x', tags: ['a'] }, {}, /exporters\[0\]\.tags is a setting of kind: langfuse/],
    [{ kind: 'phoenix', protocol: 'http/json' }, {}, /protocol must be http\/protobuf/],
    [{ kind: 'jaeger', url: 'http://x' }, {}, /kind must be one of otlp, langfuse, phoenix/],
    [{ url: 'http://x', profiles: ['nobody'] }, {}, /profiles\[0\] must be one of genai, /],
    [{ url: 'http://x', profiles: [] }, {}, /must name a profile/],
  ])('and mistakes are named: %j', async (exporter, env, message) => {
    await expect(load([{ name: 'lf', ...exporter }], env as Record<string, string>)).rejects.toThrow(message);
  });
});

describe('kind: phoenix', () => {
  it('has address, key, names and the one protocol that it takes', async () => {
    const env = { PHOENIX_COLLECTOR_ENDPOINT: 'http://p:6006', PHOENIX_API_KEY: 'k', PHOENIX_PROJECT_NAME: 'support' };
    const { targets } = await load([{ name: 'px', kind: 'phoenix' }], env);
    expect(targets).toMatchObject([
      {
        url: 'http://p:6006/v1/traces',
        protocol: 'http/protobuf',
        headers: { authorization: 'Bearer k' },
        profiles: [{ name: 'openinference', resource: { 'openinference.project.name': 'support' } }],
      },
    ]);
  });
});

describe('profiles', () => {
  it('of the same settings are one list, and none without need', async () => {
    const { targets } = await load([
      { name: 'a', url: 'http://x' },
      { name: 'b', url: 'http://x', profiles: ['openinference'] },
      { name: 'c', file: join(folder, 'x.jsonl'), profiles: ['openinference'] },
      { name: 'd', url: 'http://x', profiles: ['genai', 'langfuse'] },
    ]);
    expect(targets.map(namesOf)).toEqual([undefined, ['openinference'], ['openinference'], ['genai', 'langfuse']]);
    const [, b, c] = targets as { profiles?: unknown }[];
    expect(b?.profiles).toBe(c?.profiles);
  });

  it('follow OTEL_SEMCONV_STABILITY_OPT_IN, but for kinds with names of their own', async () => {
    const env = { ...KEYS, OTEL_SEMCONV_STABILITY_OPT_IN: 'gen_ai_latest_experimental' };
    const { targets } = await load(
      [
        { name: 'a', url: 'http://x' },
        { name: 'b', kind: 'langfuse' },
      ],
      env,
    );
    expect(targets.map(namesOf)).toEqual([['genai'], ['langfuse']]);
  });

  it('are added to those of a kind', async () => {
    const { targets } = await load([{ name: 'b', kind: 'langfuse', profiles: ['genai', 'langfuse'] }], KEYS);
    expect(targets.map(namesOf)).toEqual([['langfuse', 'genai']]);
  });
});
