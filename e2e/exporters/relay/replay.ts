import { createReadStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readRecords } from '@hermes-observer/core';
import {
  type Capture,
  LosslessSpanProcessor,
  ObserverTracerProvider,
  type ReadableSpan,
  SpanBridge,
  type SpanExporter,
} from '@hermes-observer/otel';
import { AtifExporter, AtofExporter } from '@hermes-observer/relay';

/** How ATIF may be laid out; each has a folder of its own. */
export const LAYOUTS = (['turn', 'session'] as const).flatMap((trajectory) =>
  (['embedded', 'files'] as const).map((subagents) => ({ name: `${trajectory}-${subagents}`, trajectory, subagents })),
);

/** A recording to `events.jsonl` and a folder for each layout, below `folder`, with so many spans at once; gives its spans. */
export async function replay(recording: string, folder: string, capture: Capture, batch = 3): Promise<ReadableSpan[]> {
  mkdirSync(folder, { recursive: true });
  const spans: ReadableSpan[] = [];
  const memory: SpanExporter = {
    export(batch, done) {
      spans.push(...batch);
      done({ code: 0 });
    },
    shutdown: () => Promise.resolve(),
  };
  const exporters: SpanExporter[] = [
    memory,
    new AtofExporter({ path: join(folder, 'events.jsonl'), mode: 'overwrite' }),
    ...LAYOUTS.map(({ name, ...layout }) => new AtifExporter({ folder: join(folder, name), ...layout })),
  ];
  const processors = exporters.map((exporter) => new LosslessSpanProcessor({ exporter, maxBatchSize: batch }));
  const tracerProvider = new ObserverTracerProvider({ spanProcessors: processors });
  const bridge = new SpanBridge({ tracerProvider, capture });
  for await (const records of readRecords(createReadStream(recording))) {
    for (const record of records) bridge.handleRecord(record);
    for (const processor of processors) await processor.ready();
  }
  bridge.closeAll();
  for (const processor of processors) await processor.shutdown();
  return spans;
}
