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
