import type { OtlpHttpExporter, SpooledOtlpExporter } from '@hermes-observer/otel';
import { type ProfiledExporter, withProfiles } from '../exporter/with-profiles.js';
import { type LangfuseProfileOptions, langfuseProfile } from '../langfuse/langfuse-profile.js';
import { type LangfuseAccess, langfuseEndpoint } from './langfuse-endpoint.js';
import { otlpExporter, type PresetOptions, variable } from './otlp-preset.js';

export interface LangfuseExporterOptions extends LangfuseAccess, LangfuseProfileOptions, PresetOptions {
  /** @default `LANGFUSE_TRACING_ENVIRONMENT` */
  readonly environment?: string | undefined;
  /** @default `LANGFUSE_RELEASE` */
  readonly release?: string | undefined;
}

/**
 * Langfuse puts no bound on a request, and warns over 16 MB. Proxies before it often have one of 4 or 5 MB, and its own
 * older API had one of 3.5 MB.
 */
const MAX_REQUEST_BYTES = 3_500_000;

/**
 * Traces in Langfuse: `createObserver({ exporters: [langfuseExporter()] })` with the keys of a project in
 * `LANGFUSE_PUBLIC_KEY` and `LANGFUSE_SECRET_KEY`. Content is there as far as `capture` says.
 *
 * @throws ObserverError `HO_OPTION` without both keys, or with an address that is none.
 */
export function langfuseExporter(
  options: LangfuseExporterOptions = {},
): (OtlpHttpExporter | SpooledOtlpExporter) & ProfiledExporter {
  const { publicKey, secretKey, baseUrl, environment, release, version, tags, userId, metadata, ...preset } = options;
  const { env = process.env, maxAttributes } = preset;
  const { url, headers } = langfuseEndpoint({ publicKey, secretKey, baseUrl }, env);
  const profile = langfuseProfile({
    environment: environment ?? variable(env, 'LANGFUSE_TRACING_ENVIRONMENT'),
    release: release ?? variable(env, 'LANGFUSE_RELEASE'),
    version,
    tags,
    userId,
    metadata,
  });
  const exporter = otlpExporter(url, headers, { maxRequestBytes: MAX_REQUEST_BYTES, ...preset });
  return withProfiles(exporter, [profile], { maxAttributes });
}
