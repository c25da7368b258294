import { InputReport } from '../input/input-report.js';
import { readInputs } from '../input/read-inputs.js';
import { Progress } from '../output/progress.js';
import { SpanOutput, type SpanOutputOptions } from '../output/span-output.js';
import { type Console, EXIT_INCOMPLETE, EXIT_OK } from './console.js';

/** Feeds recordings through the bridge. Resolves when all records were read and all spans handed over. */
export async function replayInputs(
  paths: readonly string[],
  output: SpanOutput,
  progress?: Progress,
): Promise<InputReport> {
  const report = new InputReport();
  for await (const records of readInputs(paths, report)) {
    for (const record of records) output.bridge.handleRecord(record);
    progress?.update(report.records);
    await output.ready();
  }
  progress?.done();
  await output.close();
  return report;
}

/** `replay FILE…`: recordings in, spans out to a file or an endpoint. Returns the exit code. */
export async function replay(paths: readonly string[], options: SpanOutputOptions, console: Console): Promise<number> {
  const output = await SpanOutput.open(options);
  const report = await replayInputs(paths, output, new Progress());
  for (const line of report.lines()) console.error(line);
  console.debug(report.firstError);
  for (const fault of output.faults) console.fault(fault);
  if (output.lostSpans > 0) console.error(`${output.lostSpans} spans were not delivered [HO_EXPORT_FAILED]`);
  console.note(summary(report, output));
  return report.isClean && output.faults.length === 0 && output.lostSpans === 0 ? EXIT_OK : EXIT_INCOMPLETE;
}

function summary(report: InputReport, output: SpanOutput): string {
  const { duplicates, tooLate, missing } = output.bridge.stats;
  const parts = [`${report.records} records`, `${output.writtenSpans} spans`];
  if (duplicates > 0) parts.push(`${duplicates} repeated`);
  if (missing > 0) parts.push(`${missing} missing by number`);
  if (tooLate > 0) parts.push(`${tooLate} too late for their turn`);
  return parts.join(', ');
}
