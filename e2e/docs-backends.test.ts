import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runNode, TOP } from './run-command.js';

const FOLDER = join(TOP, 'docs/backends');
const page = readFileSync(join(TOP, 'docs/backends.md'), 'utf8');
const files = readdirSync(FOLDER).sort();

const KEYS = { LANGFUSE_PUBLIC_KEY: 'pk-lf-1', LANGFUSE_SECRET_KEY: 'sk-lf-2' };

/** Where each exporter of a file sends to, with the names of its headers. */
const WANTED: Readonly<Record<string, readonly unknown[]>> = {
  'collector.yaml': [['collector', 'http://localhost:4318/v1/traces', 'http/json', []]],
  'datadog.yaml': [
    ['datadog', 'https://otlp.datadoghq.com/v1/traces', 'http/protobuf', ['compute_stats', 'dd-api-key']],
  ],
  'grafana.yaml': [
    ['grafana', 'https://otlp-gateway-prod-eu-west-2.grafana.net/otlp/v1/traces', 'http/protobuf', ['authorization']],
  ],
  'honeycomb.yaml': [['honeycomb', 'https://api.honeycomb.io/v1/traces', 'http/protobuf', ['x-honeycomb-team']]],
  'langfuse.yaml': [
    [
      'langfuse',
      'https://cloud.langfuse.com/api/public/otel/v1/traces',
      'http/json',
      ['authorization', 'x-langfuse-ingestion-version'],
    ],
  ],
  'phoenix.yaml': [['phoenix', 'http://localhost:6006/v1/traces', 'http/protobuf', []]],
  'several.yaml': [
    ['jaeger', 'http://localhost:4318/v1/traces', 'http/json', []],
    [
      'langfuse',
      'https://cloud.langfuse.com/api/public/otel/v1/traces',
      'http/json',
      ['authorization', 'x-langfuse-ingestion-version'],
    ],
  ],
};

interface Shown {
  readonly settings: readonly { readonly key: string; readonly value: unknown }[];
}

async function config(file: string, env: Record<string, string>) {
  const args = ['packages/cli/bin/hermes-observer.js', 'config', '--json', '--config', join(FOLDER, file)];
  return runNode(args, { env: { XDG_RUNTIME_DIR: '', ...env } });
}

it('there is a file for each backend of the page, and no other', () => {
  expect(files).toEqual(Object.keys(WANTED));
  for (const file of files) expect(page).toContain(`\`\`\`yaml\n${readFileSync(join(FOLDER, file), 'utf8')}\`\`\``);
});

describe.each(files)('%s', (file) => {
  it('is what the service takes, and no secret of it is printed', async () => {
    const { code, stdout, stderr } = await config(file, KEYS);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { settings } = JSON.parse(stdout) as Shown;
    const exporters = settings.find(({ key }) => key === 'exporters')?.value as Record<string, unknown>[];
    expect(
      exporters.map(({ name, url, protocol, headers }) => [name, url, protocol, Object.keys(headers as object).sort()]),
    ).toEqual(WANTED[file]);
    for (const secret of ['sk-lf-2', btoa('pk-lf-1:sk-lf-2'), 'your-', 'MTIzNDU2'])
      expect(stdout).not.toContain(secret);
  });
});

it('Langfuse without keys is refused, and what is missing is named', async () => {
  const { code, stderr } = await config('langfuse.yaml', { LANGFUSE_PUBLIC_KEY: 'pk-lf-1', LANGFUSE_SECRET_KEY: '' });
  expect(code).toBe(2);
  expect(stderr).toMatch(/exporter langfuse: .*LANGFUSE_SECRET_KEY is not set.*\[HO_CONFIG_VALUE\]/);
});
