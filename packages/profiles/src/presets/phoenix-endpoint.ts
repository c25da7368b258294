import { ObserverError } from '@hermes-observer/core';
import { parseHeaders } from '@hermes-observer/otel';
import { variable } from './otlp-preset.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface PhoenixAccess {
  /** Address of Phoenix. @default `PHOENIX_COLLECTOR_ENDPOINT`, else `http://localhost:6006` */
  readonly baseUrl?: string | undefined;
  /** @default `PHOENIX_API_KEY`, else none */
  readonly apiKey?: string | undefined;
}

/**
 * Where Phoenix takes OTLP, and with which headers: those of `PHOENIX_CLIENT_HEADERS`, and the key.
 * @throws ObserverError `HO_OPTION` for an address that is none.
 */
export function phoenixEndpoint(
  access: PhoenixAccess,
  env: Environment = process.env,
): { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  const base = access.baseUrl ?? variable(env, 'PHOENIX_COLLECTOR_ENDPOINT') ?? 'http://localhost:6006';
  const key = access.apiKey ?? variable(env, 'PHOENIX_API_KEY');
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol)) {
    throw new ObserverError('HO_OPTION', `the address of Phoenix is ${base}; use one such as http://localhost:6006.`);
  }
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/v1\/traces$/, '')}/v1/traces`;
  return {
    url: url.href,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...parseHeaders(env.PHOENIX_CLIENT_HEADERS ?? ''),
    },
  };
}
