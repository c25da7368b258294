import { ObserverError, type TraceContext } from '@hermes-observer/core';
import type { Attributes } from '@opentelemetry/api';
import type * as Sdk from '@opentelemetry/sdk-trace-base';
import { OtlpHttpExporter } from '../exporters/otlp-http.js';
import { SpooledOtlpExporter, type SpoolSettings } from '../exporters/spooled-otlp.js';
import { loadPeer } from '../sdk/peer.js';
import type { Sampler, SpanExporter } from '../sdk/types.js';
import { DEFAULT_ENDPOINT, type Environment, otlpEnvironment } from '../transport/otlp-environment.js';

export type { Environment };

/** The standard SDK's samplers and console exporter: of 2.x, or of 3.x, which goes by another name. */
function loadSdk(need: string): typeof Sdk {
  try {
    return loadPeer<typeof Sdk>('@opentelemetry/sdk-trace', need);
  } catch {
    return loadPeer<typeof Sdk>('@opentelemetry/sdk-trace-base', need);
  }
}

const set = (env: Environment, name: string) => env[name]?.trim() || undefined;

export const isDisabled = (env: Environment) => set(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true';

/** `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME`; the latter wins. Malformed members are left out. */
export function resourceAttributes(env: Environment): Attributes {
  const attributes: Attributes = {};
  for (const member of (env.OTEL_RESOURCE_ATTRIBUTES ?? '').split(',')) {
    const at = member.indexOf('=');
    if (at <= 0) continue;
    try {
      attributes[member.slice(0, at).trim()] = decodeURIComponent(member.slice(at + 1).trim());
    } catch {
      // A value that is no percent encoding says nothing we could trust.
    }
  }
  const name = set(env, 'OTEL_SERVICE_NAME');
  if (name !== undefined) attributes['service.name'] = name;
  return attributes;
}

/** The caller of this program, as it was told in `TRACEPARENT`, `TRACESTATE` and `BAGGAGE`. */
export function callerOfProgram(env: Environment): TraceContext | undefined {
  const traceparent = set(env, 'TRACEPARENT');
  if (traceparent === undefined) return undefined;
  const [tracestate, baggage] = [set(env, 'TRACESTATE'), set(env, 'BAGGAGE')];
  return {
    traceparent,
    ...(tracestate === undefined ? {} : { tracestate }),
    ...(baggage === undefined ? {} : { baggage }),
  };
}

export interface OtlpSettings {
  /** How long a request is tried again, in milliseconds. */
  readonly retryMillis?: number | undefined;
  /** Spans wait there for a backend that is away. */
  readonly spool?: SpoolSettings | undefined;
  /** Told what a spool has to say. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** Exporters that `OTEL_TRACES_EXPORTER` names; OTLP when it is not set. @throws ObserverError `HO_OPTION`. */
export function exportersOf(env: Environment, otlp: OtlpSettings = {}): SpanExporter[] {
  const names = set(env, 'OTEL_TRACES_EXPORTER') ?? 'otlp';
  const exporters: SpanExporter[] = [];
  for (const name of names.split(',').map((part) => part.trim())) {
    if (name === 'otlp') exporters.push(otlpExporter(env, otlp));
    else if (name === 'console') exporters.push(new (loadSdk('OTEL_TRACES_EXPORTER=console').ConsoleSpanExporter)());
    else if (name !== 'none' && name !== '') {
      throw new ObserverError('HO_OPTION', `OTEL_TRACES_EXPORTER is ${name}; use otlp, console or none.`);
    }
  }
  return exporters;
}

/** @throws ObserverError `HO_OPTION`. */
function otlpExporter(env: Environment, { retryMillis, spool, onWarning }: OtlpSettings): SpanExporter {
  const { url = `${DEFAULT_ENDPOINT}/v1/traces` } = otlpEnvironment(env);
  const options = { url, env, retryMillis };
  const exporter =
    spool === undefined
      ? // Whoever closes the observer waits for it. A program that does not is not to be held by a backend that is away.
        new OtlpHttpExporter({ ...options, keepsAlive: false })
      : new SpooledOtlpExporter({ ...options, spool, ...(onWarning === undefined ? {} : { onWarning }) });
  const names = 'OTEL_SEMCONV_STABILITY_OPT_IN';
  if (!env[names]?.includes('gen_ai_latest')) return exporter;
  try {
    return loadPeer<Profiles>('@hermes-observer/profiles', names).withNamesOf(exporter, env);
  } catch (error) {
    // The names that spans have are better than none.
    onWarning?.((error as Error).message);
    return exporter;
  }
}

/** Our own package, which stands above this one. */
interface Profiles {
  withNamesOf<T extends SpanExporter>(exporter: T, env: Environment): T;
}

/** The sampler that `OTEL_TRACES_SAMPLER` names, if it is set. @throws ObserverError `HO_OPTION`. */
export function samplerOf(env: Environment): Sampler | undefined {
  const name = set(env, 'OTEL_TRACES_SAMPLER')?.toLowerCase();
  if (name === undefined || name === 'parentbased_always_on') return undefined;
  const sdk = loadSdk('OTEL_TRACES_SAMPLER');
  const { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler } = sdk;
  const ratio = () => new TraceIdRatioBasedSampler(ratioOf(env));
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return ratio();
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: ratio() });
    default: {
      const known =
        'always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio';
      throw new ObserverError('HO_OPTION', `OTEL_TRACES_SAMPLER is ${name}; use one of ${known}.`);
    }
  }
}

function ratioOf(env: Environment): number {
  const text = set(env, 'OTEL_TRACES_SAMPLER_ARG');
  if (text === undefined) return 1;
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new ObserverError('HO_OPTION', `OTEL_TRACES_SAMPLER_ARG is ${text}; use a number from 0 to 1.`);
}
