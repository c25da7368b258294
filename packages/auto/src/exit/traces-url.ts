type Environment = Readonly<Record<string, string | undefined>>;

const set = (env: Environment, name: string) => env[name]?.trim() || undefined;

/**
 * Where spans go over OTLP, when that is the one place they go to. `undefined` for other exporters, none, or an address that
 * is none: then the observer itself reads the environment, and says what is wrong.
 */
export function tracesUrlOf(env: Environment): string | undefined {
  if ((set(env, 'OTEL_TRACES_EXPORTER') ?? 'otlp') !== 'otlp') return undefined;
  const own = set(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const base = set(env, 'OTEL_EXPORTER_OTLP_ENDPOINT') ?? 'http://localhost:4318';
  const url = own ?? `${base.replace(/\/$/, '')}/v1/traces`;
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) return undefined;
  const protocol = set(env, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? set(env, 'OTEL_EXPORTER_OTLP_PROTOCOL');
  return [undefined, 'http/json', 'http/protobuf'].includes(protocol) ? url : undefined;
}
