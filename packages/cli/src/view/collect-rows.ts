import type { InputReport } from '../input/input-report.js';
import { SpanOutput, type SpanOutputOptions } from '../output/span-output.js';
import { RowCollector } from './row-collector.js';
import type { SpanRow } from './span-row.js';
import { readViewInput } from './view-input.js';

export interface CollectedRows {
  readonly rows: readonly SpanRow[];
  /** What went wrong beside the reading, which `report` tells. */
  readonly faults: readonly Error[];
}

/** The spans of recordings, assembled, and of OTLP/JSON files, as they are. `-` is standard input. */
export async function collectRows(
  paths: readonly string[],
  report: InputReport,
  options: Pick<SpanOutputOptions, 'capture' | 'agentName' | 'cost' | 'prices'> = {},
): Promise<CollectedRows> {
  const { rows, records } = await readViewInput(paths, report);
  const collector = new RowCollector();
  const output = await SpanOutput.create({ ...options, exporters: [collector] });
  for (const record of records) {
    output.bridge.handleRecord(record);
    const wait = output.ready();
    if (wait !== undefined) await wait;
  }
  await output.close();
  for (const row of collector.rows) rows.push(row);
  return { rows, faults: output.faults };
}
