import { describe, expect, it } from 'vitest';
import { langfuseEndpoint } from './langfuse-endpoint.js';
import { langfuseExporter } from './langfuse-exporter.js';
import { phoenixEndpoint } from './phoenix-endpoint.js';
import { phoenixExporter } from './phoenix-exporter.js';

const KEYS = { LANGFUSE_PUBLIC_KEY: 'pk-lf-1', LANGFUSE_SECRET_KEY: 'sk-lf-2' };
const TRACES = '/api/public/otel/v1/traces';

describe('Langfuse', () => {
  it.each([
    [{}, 'https://cloud.langfuse.com'],
    [{ LANGFUSE_HOST: 'https://us.cloud.langfuse.com' }, 'https://us.cloud.langfuse.com'],
    [{ LANGFUSE_HOST: 'https://a.example', LANGFUSE_BASE_URL: 'https://b.example/' }, 'https://b.example'],
    [{ LANGFUSE_BASE_URL: 'https://b.example/sub' }, 'https://b.example/sub'],
    [{ LANGFUSE_BASE_URL: 'https://b.example/api/public/otel' }, 'https://b.example'],
    [{ LANGFUSE_BASE_URL: `https://b.example${TRACES}` }, 'https://b.example'],
  ])('is found by its variables: %j', (env, base) => {
    const { url, headers } = langfuseEndpoint({}, { ...KEYS, ...env });
    expect(url).toBe(base + TRACES);
    expect(headers).toEqual({
      authorization: `Basic ${Buffer.from('pk-lf-1:sk-lf-2').toString('base64')}`,
      'x-langfuse-ingestion-version': '4',
    });
  });

  it('takes options before variables', () => {
    const { url, headers } = langfuseEndpoint({ publicKey: 'p', secretKey: 's', baseUrl: 'http://x' }, KEYS);
    expect(url).toBe(`http://x${TRACES}`);
    expect(headers.authorization).toBe(`Basic ${btoa('p:s')}`);
  });

  it.each([
    [{ LANGFUSE_SECRET_KEY: 's' }, /LANGFUSE_PUBLIC_KEY/],
    [{ LANGFUSE_PUBLIC_KEY: 'p', LANGFUSE_SECRET_KEY: '' }, /LANGFUSE_SECRET_KEY/],
    [{ ...KEYS, LANGFUSE_BASE_URL: 'ftp://x' }, /address of Langfuse/],
  ])('is refused at once without what it needs: %j', (env, message) => {
    expect(() => langfuseExporter({ env })).toThrow(message);
  });

  it('never sends the headers of another backend', async () => {
    const env = { ...KEYS, OTEL_EXPORTER_OTLP_HEADERS: 'x-honeycomb-team=secret', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    const exporter = langfuseExporter({ env });
    expect(exporter).toHaveProperty('name', `https://cloud.langfuse.com${TRACES}`);
    await exporter.shutdown();
  });
});

describe('Phoenix', () => {
  it.each([
    [{}, 'http://localhost:6006/v1/traces', {}],
    [
      { PHOENIX_COLLECTOR_ENDPOINT: 'https://app.phoenix.arize.com/s/space', PHOENIX_API_KEY: 'k' },
      'https://app.phoenix.arize.com/s/space/v1/traces',
      { authorization: 'Bearer k' },
    ],
    [
      { PHOENIX_COLLECTOR_ENDPOINT: 'http://p:6006/v1/traces', PHOENIX_CLIENT_HEADERS: 'api_key=abc,x=1' },
      'http://p:6006/v1/traces',
      { api_key: 'abc', x: '1' },
    ],
  ])('is found by its variables: %j', (env, url, headers) => {
    expect(phoenixEndpoint({}, env)).toEqual({ url, headers });
  });

  it('refuses an address that is none', () => {
    expect(() => phoenixExporter({ baseUrl: 'localhost' })).toThrow(/address of Phoenix/);
  });
});
