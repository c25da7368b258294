import { ObserverError } from '@hermes-observer/core';
import type { HttpSettings } from './http-settings.js';

export type Environment = Readonly<Record<string, string | undefined>>;
export type OtlpProtocol = 'http/protobuf' | 'http/json';

export const DEFAULT_ENDPOINT = 'http://localhost:4318';
const MOST_TIMEOUT_MS = 24 * 3_600_000;

/** What the variables `OTEL_EXPORTER_OTLP_*`, and those of `OTEL_EXPORTER_OTLP_TRACES_*` before them, say. */
export interface OtlpEnvironment extends Omit<HttpSettings, 'url'> {
  /** With `/v1/traces`; `undefined` when no variable names an address. */
  readonly url: string | undefined;
  readonly protocol: OtlpProtocol | undefined;
}

/**
 * Reads the standard settings. Files of certificates are read.
 * @throws ObserverError `HO_OPTION` for a value that is none of its kind, or a file that cannot be read.
 */
export function otlpEnvironment(env: Environment): OtlpEnvironment {
  return {
    url: urlOf(env),
    protocol: protocolOf(env),
    headers: headersOf(env),
    timeoutMillis: timeoutOf(env),
    compression: compressionOf(env),
    ca: fileOf(env, 'CERTIFICATE'),
    cert: fileOf(env, 'CLIENT_CERTIFICATE'),
    key: fileOf(env, 'CLIENT_KEY'),
  };
}

const set = (env: Environment, name: string) => env[name]?.trim() || undefined;

/** The value, and the name of the variable that has it. */
function given(env: Environment, name: string): readonly [value: string, variable: string] | undefined {
  for (const variable of [`OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`]) {
    const value = set(env, variable);
    if (value !== undefined) return [value, variable];
  }
  return undefined;
}

function urlOf(env: Environment): string | undefined {
  const found = given(env, 'ENDPOINT');
  if (found === undefined) return undefined;
  const [address, variable] = found;
  if (!/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : '')) {
    throw new ObserverError('HO_OPTION', `${variable} is no http or https address, such as ${DEFAULT_ENDPOINT}.`);
  }
  // The address of traces is meant as it is; the common one is a base.
  return variable.includes('TRACES') ? address : `${address.replace(/\/$/, '')}/v1/traces`;
}

function protocolOf(env: Environment): OtlpProtocol | undefined {
  const found = given(env, 'PROTOCOL');
  if (found === undefined) return undefined;
  const [protocol, variable] = found;
  if (protocol === 'http/json' || protocol === 'http/protobuf') return protocol;
  throw new ObserverError(
    'HO_OPTION',
    `${variable} is ${protocol}; use http/protobuf or http/json, or pass an exporter.`,
  );
}

function timeoutOf(env: Environment): number | undefined {
  const millis = Number(given(env, 'TIMEOUT')?.[0]);
  return millis > 0 ? Math.min(millis, MOST_TIMEOUT_MS) : undefined;
}

function compressionOf(env: Environment): 'none' | 'gzip' | undefined {
  const found = given(env, 'COMPRESSION');
  if (found === undefined) return undefined;
  const [compression, variable] = found;
  if (compression === 'none' || compression === 'gzip') return compression;
  throw new ObserverError('HO_OPTION', `${variable} is ${compression}; use none or gzip.`);
}

/** Of both levels; those of traces win. */
function headersOf(env: Environment): Record<string, string> {
  const of = (name: string) => parseHeaders(env[name] ?? '');
  return { ...of('OTEL_EXPORTER_OTLP_HEADERS'), ...of('OTEL_EXPORTER_OTLP_TRACES_HEADERS') };
}

/** Headers as the standard variables have them: `name=value,name=value`, percent-encoded. What is no pair is left out. */
export function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))] as const];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return text.trim();
  }
}

function fileOf(env: Environment, name: string): Buffer | undefined {
  const found = given(env, name);
  if (found === undefined) return undefined;
  const [path, variable] = found;
  try {
    return process.getBuiltinModule('node:fs').readFileSync(path);
  } catch (cause) {
    throw new ObserverError('HO_OPTION', `${variable}: ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
