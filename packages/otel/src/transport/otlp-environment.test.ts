import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Environment, otlpEnvironment } from './otlp-environment.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Both levels of a variable: common, then the one of traces. */
const both = (name: string, common: string, traces: string): Environment => ({
  [`OTEL_EXPORTER_OTLP_${name}`]: common,
  [`OTEL_EXPORTER_OTLP_TRACES_${name}`]: traces,
});
const message = (env: Environment) => {
  try {
    otlpEnvironment(env);
  } catch (error) {
    const { code, message: text } = error as { code?: string; message: string };
    return `${code} ${text}`;
  }
  return 'no error';
};

describe('otlpEnvironment', () => {
  it('says nothing where nothing is set, or only blanks are', () => {
    const nothing = { headers: {}, url: undefined, protocol: undefined, timeoutMillis: undefined };
    expect(otlpEnvironment({})).toMatchObject(nothing);
    expect(otlpEnvironment(both('ENDPOINT', ' ', ''))).toMatchObject(nothing);
  });

  it.each([
    ['http://a:4318', 'http://a:4318/v1/traces'],
    ['http://a:4318/', 'http://a:4318/v1/traces'],
    ['https://a/base', 'https://a/base/v1/traces'],
    [' http://a ', 'http://a/v1/traces'],
  ])('takes the common endpoint as a base: %s', (base, url) => {
    expect(otlpEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: base }).url).toBe(url);
  });

  it('takes the endpoint of traces as it is, before the common one', () => {
    expect(otlpEnvironment(both('ENDPOINT', 'http://a', 'http://b/own')).url).toBe('http://b/own');
    expect(otlpEnvironment(both('ENDPOINT', 'http://a', ' ')).url).toBe('http://a/v1/traces');
  });

  it.each(['localhost:4318', 'a b', 'ftp://a', '/v1/traces'])('refuses %s as an address', (address) => {
    const text = /^HO_OPTION OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is no http or https address/;
    expect(message({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address })).toMatch(text);
  });

  it('lets the level of traces win for each other setting', () => {
    const env = {
      ...both('PROTOCOL', 'http/json', 'http/protobuf'),
      ...both('TIMEOUT', '100', '200'),
      ...both('COMPRESSION', 'none', 'gzip'),
    };
    const settings = { protocol: 'http/protobuf', timeoutMillis: 200, compression: 'gzip' };
    expect(otlpEnvironment(env)).toMatchObject(settings);
    const common = Object.fromEntries(Object.entries(env).filter(([name]) => !name.includes('TRACES')));
    expect(otlpEnvironment(common)).toMatchObject({ protocol: 'http/json', timeoutMillis: 100, compression: 'none' });
  });

  it('names the variable at fault', () => {
    expect(message({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toMatch(/^HO_OPTION OTEL_EXPORTER_OTLP_PROTOCOL is grpc/);
    const text = /^HO_OPTION OTEL_EXPORTER_OTLP_TRACES_COMPRESSION is br; use none or gzip/;
    expect(message({ OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'br' })).toMatch(text);
  });

  it.each(['0', '-5', 'x', ''])('leaves the default for a timeout of "%s"', (timeout) => {
    expect(otlpEnvironment({ OTEL_EXPORTER_OTLP_TIMEOUT: timeout }).timeoutMillis).toBeUndefined();
  });

  it('bounds a timeout that no timer can hold', () => {
    expect(otlpEnvironment({ OTEL_EXPORTER_OTLP_TIMEOUT: '1e12' }).timeoutMillis).toBe(86_400_000);
  });

  it('merges the headers of both levels, decodes them and leaves out what is none', () => {
    const env = both('HEADERS', 'a=1, b = x%20y ,bad,=no,c=%zz', 'a=2,d=e=f');
    expect(otlpEnvironment(env).headers).toEqual({ a: '2', b: 'x y', c: '%zz', d: 'e=f' });
  });

  it('reads the files of certificates', () => {
    const folder = mkdtempSync(join(tmpdir(), 'otlp-env-'));
    folders.push(folder);
    const path = (name: string) => {
      writeFileSync(join(folder, name), `PEM of ${name}`);
      return join(folder, name);
    };
    const env = {
      ...both('CERTIFICATE', path('common'), path('ca')),
      OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: path('cert'),
      OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: path('key'),
    };
    const { ca, cert, key } = otlpEnvironment(env);
    expect([ca, cert, key].map(String)).toEqual(['PEM of ca', 'PEM of cert', 'PEM of key']);
    const missing = join(folder, 'missing');
    const text = message({ OTEL_EXPORTER_OTLP_CERTIFICATE: missing });
    expect(text).toMatch(/^HO_OPTION OTEL_EXPORTER_OTLP_CERTIFICATE: .*missing cannot be read/);
  });
});
