import { readFileSync } from 'node:fs';
import { ObserverError } from '@hermes-observer/core';
import { parseHeaders } from '@hermes-observer/otel';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Signal = 'metrics' | 'logs';

/** Where a signal goes over OTLP, as the exporters of the SDK take it. */
export interface OtlpSettings {
  readonly protocol: 'http/json' | 'http/protobuf';
  /** In full. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMillis?: number;
  readonly compression?: 'none' | 'gzip';
  readonly httpAgentOptions: {
    readonly keepAlive: true;
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
  };
}

const DEFAULT_ENDPOINT = 'http://localhost:4318';

const set = (env: Environment, name: string) => env[name]?.trim() || undefined;

/**
 * What `OTEL_EXPORTER_OTLP_METRICS_*` or `OTEL_EXPORTER_OTLP_LOGS_*` say, else `OTEL_EXPORTER_OTLP_*`. From the environment
 * that the observer was given, which need not be that of the process.
 * @throws ObserverError `HO_OPTION` for a value that is none of its kind, or a file that cannot be read.
 */
export function otlpSettings(env: Environment, signal: Signal): OtlpSettings {
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_`;
  const given = (name: string): readonly [value: string, variable: string] | undefined => {
    for (const variable of [own + name, `OTEL_EXPORTER_OTLP_${name}`]) {
      const value = set(env, variable);
      if (value !== undefined) return [value, variable];
    }
    return undefined;
  };
  const [address = DEFAULT_ENDPOINT, variable = 'the default'] = given('ENDPOINT') ?? [];
  demand(
    /^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : ''),
    `${variable} is no http or https address, such as ${DEFAULT_ENDPOINT}.`,
  );
  const [protocol = 'http/protobuf', protocolVariable] = given('PROTOCOL') ?? [];
  demand(
    protocol === 'http/json' || protocol === 'http/protobuf',
    `${protocolVariable} is ${protocol}; use http/protobuf or http/json.`,
  );
  const [compression, compressionVariable] = given('COMPRESSION') ?? [];
  demand(
    compression === undefined || compression === 'none' || compression === 'gzip',
    `${compressionVariable} is ${compression}; use none or gzip.`,
  );
  const timeoutMillis = Number(given('TIMEOUT')?.[0]);
  const file = (name: string) => {
    const found = given(name);
    return found === undefined ? undefined : textOf(...found);
  };
  const [ca, cert, key] = [file('CERTIFICATE'), file('CLIENT_CERTIFICATE'), file('CLIENT_KEY')];
  return {
    protocol: protocol as OtlpSettings['protocol'],
    // The address of one signal is meant as it is; the common one is a base.
    url: variable === `${own}ENDPOINT` ? address : `${address.replace(/\/$/, '')}/v1/${signal}`,
    headers: { ...parseHeaders(env.OTEL_EXPORTER_OTLP_HEADERS ?? ''), ...parseHeaders(env[`${own}HEADERS`] ?? '') },
    ...(timeoutMillis > 0 ? { timeoutMillis } : {}),
    ...(compression === undefined ? {} : { compression: compression as 'none' | 'gzip' }),
    httpAgentOptions: {
      keepAlive: true,
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  };
}

/** Exporters that `OTEL_METRICS_EXPORTER` or `OTEL_LOGS_EXPORTER` names. @throws ObserverError `HO_OPTION` for an unknown one. */
export function exporterNames<T extends string>(env: Environment, signal: Signal, known: readonly T[]): T[] {
  const variable = `OTEL_${signal.toUpperCase()}_EXPORTER`;
  const names = (set(env, variable) ?? 'otlp').split(',').map((name) => name.trim());
  return names
    .filter((name) => name !== 'none' && name !== '')
    .map((name) => {
      demand((known as readonly string[]).includes(name), `${variable} is ${name}; use ${known.join(', ')} or none.`);
      return name as T;
    });
}

/** A number of milliseconds above 0, or nothing. @throws ObserverError `HO_OPTION` for what is neither. */
export function millisOf(env: Environment, variable: string): number | undefined {
  const text = set(env, variable);
  if (text === undefined) return undefined;
  const millis = Number(text);
  demand(millis > 0, `${variable} is ${text}; use a number of milliseconds.`);
  return millis;
}

function textOf(path: string, variable: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ObserverError('HO_OPTION', `${variable}: ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function demand(isGood: boolean, text: string): void {
  if (!isGood) throw new ObserverError('HO_OPTION', text);
}
