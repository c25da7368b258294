// What the journal holds, and the spans that a replay of it makes.
import { parseRecord } from '@hermes-observer/core';
import { SegmentLog } from '@hermes-observer/core/segments';
import {
  JSON_ENCODING,
  ObserverTracerProvider,
  observerResource,
  SpanBridge,
  TraceRequests,
  withLength,
} from '@hermes-observer/otel';
import { digest, spansOf } from './span-sink.mjs';

/** `records`: (producer, seq) → how often. `spans`: id → digest. */
export async function readJournal(folder) {
  const records = new Map();
  const spans = new Map();
  const requests = new TraceRequests(JSON_ENCODING, 2 ** 22, withLength);
  let waiting = [];
  const write = () => {
    for (const { body } of requests.of(waiting)) {
      for (const span of spansOf(Buffer.from(body).toString())) {
        spans.set(`${span.traceId}/${span.spanId}`, { digest: digest(JSON.stringify(span)), span });
      }
    }
    waiting = [];
  };
  const collector = {
    onStart() {},
    onEnd: (span) => void waiting.push(span),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const bridge = new SpanBridge({
    tracerProvider: new ObserverTracerProvider({
      resource: observerResource(undefined, {}),
      spanProcessors: [collector],
    }),
  });
  const log = await SegmentLog.open(folder);
  let total = 0;
  for await (const batch of log.read()) {
    for (const { payload } of batch) {
      const { record } = parseRecord(payload.toString());
      total++;
      if (record.producer !== undefined) {
        const key = `${record.producer}/${record.seq}`;
        records.set(key, (records.get(key) ?? 0) + 1);
      }
      bridge.handleRecord(record);
    }
    if (waiting.length > 500) write();
  }
  write();
  await log.close();
  return { records, spans, total, stats: bridge.stats };
}
