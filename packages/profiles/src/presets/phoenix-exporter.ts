import type { OtlpHttpExporter, SpooledOtlpExporter } from '@hermes-observer/otel';
import { type ProfiledExporter, withProfiles } from '../exporter/with-profiles.js';
import { openInferenceProfile } from '../openinference/openinference-profile.js';
import { otlpExporter, type PresetOptions, variable } from './otlp-preset.js';
import { type PhoenixAccess, phoenixEndpoint } from './phoenix-endpoint.js';

export interface PhoenixExporterOptions extends PhoenixAccess, PresetOptions {
  /** Project the traces go to. @default `PHOENIX_PROJECT_NAME`, else what the resource says, else `default` */
  readonly project?: string | undefined;
}

/**
 * Traces in Arize Phoenix: `createObserver({ exporters: [phoenixExporter()] })`. Phoenix takes protobuf alone.
 *
 * @throws ObserverError `HO_OPTION` for an address that is none.
 */
export function phoenixExporter(
  options: PhoenixExporterOptions = {},
): (OtlpHttpExporter | SpooledOtlpExporter) & ProfiledExporter {
  const { baseUrl, apiKey, project, ...preset } = options;
  const { env = process.env, maxAttributes } = preset;
  const { url, headers } = phoenixEndpoint({ baseUrl, apiKey }, env);
  const profile = openInferenceProfile({ project: project ?? variable(env, 'PHOENIX_PROJECT_NAME') });
  const exporter = otlpExporter(url, headers, { ...preset, protocol: 'http/protobuf' });
  return withProfiles(exporter, [profile], { maxAttributes });
}
