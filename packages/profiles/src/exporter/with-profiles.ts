import type { ExportResult, ReadableSpan, SpanExporter } from '@hermes-observer/otel';
import type { Profile } from '../mapping/profile.js';
import { SpanMapper, type SpanMapperOptions } from '../mapping/span-mapper.js';
import { type ProfileName, profilesOf } from './named-profiles.js';

export interface ProfiledExporter {
  /** Attributes that found no room so far; each span says its own as `hermes.export.left_out_attributes`. */
  readonly leftOutAttributes: number;
  /** Spans that could not be read, and went as they were. */
  readonly unmappedSpans: number;
}

/**
 * The same exporter, which gets spans under the names of these profiles instead of those they have. Several at once are
 * for a backend that knows one of them, or a Collector with several behind it; with `genai` among them all that spans have
 * stays, else what another name carries whole is there once.
 *
 * ```ts
 * createObserver({ exporters: [withProfiles(new OtlpHttpExporter({ url }), ['openinference'])] });
 * ```
 *
 * @throws ObserverError `HO_OPTION` for a name that no profile has.
 */
export function withProfiles<T extends SpanExporter>(
  exporter: T,
  profiles: readonly (ProfileName | Profile)[],
  options: SpanMapperOptions = {},
): T & ProfiledExporter {
  const mapper = new SpanMapper(profilesOf(profiles), options);
  let unmappedSpans = 0;
  const mapped = (span: ReadableSpan): ReadableSpan => {
    try {
      return mapper.map(span);
    } catch {
      unmappedSpans++;
      return span;
    }
  };
  const own = {
    export: (spans: ReadableSpan[], resultCallback: (result: ExportResult) => void) =>
      exporter.export(spans.map(mapped), resultCallback),
    get leftOutAttributes() {
      return mapper.leftOutAttributes;
    },
    get unmappedSpans() {
      return unmappedSpans;
    },
  };
  // Everything else is the exporter's own: its class, its counts, and what they read of its private fields.
  return new Proxy(exporter, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof typeof own];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' && name !== 'constructor' ? value.bind(target) : value;
    },
    has: (target, name) => Object.hasOwn(own, name) || Reflect.has(target, name),
  }) as T & ProfiledExporter;
}

/** The exporter with the names of the GenAI conventions that `OTEL_SEMCONV_STABILITY_OPT_IN` asks for. */
export const withNamesOf = <T extends SpanExporter>(
  exporter: T,
  env: Readonly<Record<string, string | undefined>>,
): T => withProfiles(exporter, profilesOf(['genai'], env));
