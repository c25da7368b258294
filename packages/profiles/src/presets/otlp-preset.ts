import {
  OtlpHttpExporter,
  type OtlpHttpExporterOptions,
  SpooledOtlpExporter,
  type SpoolSettings,
} from '@hermes-observer/otel';

/** What every preset takes beside its own. */
export interface PresetOptions
  extends Pick<
    OtlpHttpExporterOptions,
    'compression' | 'headers' | 'protocol' | 'retryMillis' | 'timeoutMillis' | 'maxRequestBytes' | 'name'
  > {
  /** Spans wait in this folder while the backend is away, over restarts too. @default none */
  readonly spool?: SpoolSettings | undefined;
  /** Attributes that a span may have. @default 128 */
  readonly maxAttributes?: number | undefined;
  /** Environment to read. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** `OTEL_EXPORTER_OTLP_*` describe another backend, whose headers are no business of this one: they are not read. */
const NO_ENVIRONMENT = {};

/** An exporter of the endpoint of a preset. Requests are split, sent again, cut and spooled as of any other. */
export function otlpExporter(
  url: string,
  headers: Readonly<Record<string, string>>,
  { spool, maxAttributes: _, env: __, ...options }: PresetOptions,
): OtlpHttpExporter | SpooledOtlpExporter {
  const all = { ...options, url, headers: { ...headers, ...options.headers }, env: NO_ENVIRONMENT };
  return spool === undefined ? new OtlpHttpExporter(all) : new SpooledOtlpExporter({ ...all, spool });
}

/** A variable that is set and not empty. */
export function variable(
  env: Readonly<Record<string, string | undefined>>,
  ...names: readonly string[]
): string | undefined {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value) return value;
  }
  return undefined;
}
