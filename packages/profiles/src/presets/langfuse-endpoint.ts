import { ObserverError } from '@hermes-observer/core';
import { variable } from './otlp-preset.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface LangfuseAccess {
  /** @default `LANGFUSE_PUBLIC_KEY` */
  readonly publicKey?: string | undefined;
  /** @default `LANGFUSE_SECRET_KEY` */
  readonly secretKey?: string | undefined;
  /** Address of Langfuse. @default `LANGFUSE_BASE_URL`, `LANGFUSE_HOST`, else `https://cloud.langfuse.com` (EU) */
  readonly baseUrl?: string | undefined;
}

/** With it, what is sent is shown at once; without it after up to ten minutes. Langfuse refuses versions it does not know. */
const INGESTION_VERSION = '4';
const TRACES = '/api/public/otel/v1/traces';

/**
 * Where Langfuse takes OTLP, and with which headers.
 * @throws ObserverError `HO_OPTION` without both keys, or with an address that is none.
 */
export function langfuseEndpoint(
  access: LangfuseAccess,
  env: Environment = process.env,
): { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  const publicKey = access.publicKey ?? variable(env, 'LANGFUSE_PUBLIC_KEY');
  const secretKey = access.secretKey ?? variable(env, 'LANGFUSE_SECRET_KEY');
  const base = access.baseUrl ?? variable(env, 'LANGFUSE_BASE_URL', 'LANGFUSE_HOST') ?? 'https://cloud.langfuse.com';
  if (publicKey === undefined || secretKey === undefined) {
    const missing = [
      ...(publicKey === undefined ? ['LANGFUSE_PUBLIC_KEY'] : []),
      ...(secretKey === undefined ? ['LANGFUSE_SECRET_KEY'] : []),
    ];
    throw new ObserverError(
      'HO_OPTION',
      `Langfuse needs both keys of a project: ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set.`,
    );
  }
  return {
    url: langfuseUrl(base),
    headers: {
      authorization: `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`,
      'x-langfuse-ingestion-version': INGESTION_VERSION,
    },
  };
}

/** The full address, whether it was given as that of the pages, of OTLP, or in full. */
function langfuseUrl(base: string): string {
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol)) {
    throw new ObserverError(
      'HO_OPTION',
      `the address of Langfuse is ${base}; use one such as https://cloud.langfuse.com.`,
    );
  }
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/api\/public\/otel(\/v1\/traces)?$/, '') + TRACES;
  return url.href;
}
