// OTLP JSON, one request a line, to plain spans by trace. For the dev server only: the service has its own, hardened reader.
import { readFileSync } from 'node:fs';

function plainValue(value) {
  if (value.stringValue !== undefined) return value.stringValue;
  if (value.intValue !== undefined) return Number(value.intValue);
  if (value.doubleValue !== undefined) return value.doubleValue;
  if (value.boolValue !== undefined) return value.boolValue;
  return (value.arrayValue?.values ?? []).map(plainValue);
}

const attributesOf = (list = []) => Object.fromEntries(list.map(({ key, value }) => [key, plainValue(value)]));

/** @returns {Map<string, object[]>} spans of each trace: times are BigInt, Unix nanoseconds. */
export function readOtlp(paths) {
  const traces = new Map();
  for (const path of paths) {
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      if (line === '') continue;
      for (const { resource, scopeSpans } of JSON.parse(line).resourceSpans) {
        for (const { scope, spans } of scopeSpans) {
          for (const span of spans) {
            const list = traces.get(span.traceId) ?? [];
            list.push({
              trace: span.traceId,
              id: span.spanId,
              parent: span.parentSpanId || null,
              name: span.name,
              start: BigInt(span.startTimeUnixNano),
              end: BigInt(span.endTimeUnixNano),
              attributes: attributesOf(span.attributes),
              events: (span.events ?? []).map((event) => ({
                name: event.name,
                time: event.timeUnixNano,
                attributes: attributesOf(event.attributes),
              })),
              links: (span.links ?? []).map((link) => ({
                trace: link.traceId,
                span: link.spanId,
                attributes: attributesOf(link.attributes),
              })),
              status: span.status ?? { code: 0 },
              resource: attributesOf(resource.attributes),
              scope,
            });
            traces.set(span.traceId, list);
          }
        }
      }
    }
  }
  return traces;
}
