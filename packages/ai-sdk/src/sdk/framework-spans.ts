/**
 * What to do where the SDK makes spans of its own (`@ai-sdk/otel` is registered): `warn` makes ours too and says once that
 * each request now counts twice; `keep` makes both, theirs below ours, without a word; `yield` makes none of ours.
 */
export type FrameworkSpans = 'warn' | 'keep' | 'yield';

/** Where the SDK keeps what `registerTelemetry` was given; there is no need to load it. */
const place = globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: object[] };

export const registered = (): object[] => {
  place.AI_SDK_TELEMETRY_INTEGRATIONS ??= [];
  return place.AI_SDK_TELEMETRY_INTEGRATIONS;
};

let looked = -1;
let found = false;

/** Whether an integration that makes spans is registered with the SDK. */
export function hasOwnSpans(): boolean {
  const all = place.AI_SDK_TELEMETRY_INTEGRATIONS ?? [];
  if (all.length === looked) return found;
  looked = all.length;
  found = all.some((one) => /OpenTelemetry/.test(one?.constructor?.name ?? ''));
  return found;
}

/** The global state of the OpenTelemetry API, as far as it is read here; it need not be installed. */
interface ApiState {
  readonly context?: { active(): { getValue(key: symbol): unknown } };
}

const API = Symbol.for('opentelemetry.js.api.1');
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN');

/** Whether the code runs in a span that AI SDK 6 has made: with `experimental_telemetry: { isEnabled: true }` and an SDK. */
export function isInSpanOfSdk(): boolean {
  const { context } = (globalThis as { [API]?: ApiState })[API] ?? {};
  const span = context?.active().getValue(SPAN) as { readonly name?: unknown } | undefined;
  return typeof span?.name === 'string' && span.name.startsWith('ai.');
}
