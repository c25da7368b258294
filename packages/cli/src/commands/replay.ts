import type { Command } from 'commander';
import { InputReport } from '../input/input-report.js';
import { type OpenInput, openInputs } from '../input/open-input.js';
import { readInputs } from '../input/read-inputs.js';
import { Progress } from '../output/progress.js';
import { refuseInputAsOutput } from '../output/same-file.js';
import { SpanOutput, type SpanOutputOptions } from '../output/span-output.js';
import { counted } from '../view/amount.js';
import { type Console, EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { addAgentOptions, addCostOptions, addFormatOptions, addOutputOptions } from './options.js';
import type { Host } from './program.js';

/** Sets up `replay`. */
export function defineReplay(command: Command, { done, createConsole }: Host): void {
  addFormatOptions(addCostOptions(addOutputOptions(addAgentOptions(command))))
    .argument('<file...>', 'recordings, or data folders of serve, which may run; - is standard input')
    .action(async (files: string[], options: SpanOutputOptions) => {
      const { otlpFile, endpoint, output, format } = options;
      const problem = formatProblem(options);
      if (problem !== undefined) command.error(`error: ${problem}`);
      if (otlpFile === undefined && endpoint === undefined && output === undefined) {
        command.error("error: say where the spans go: '--otlp-file <path>', '--output <path>' or '--endpoint <url>'");
      }
      if (format === 'otlp' && otlpFile !== undefined && output !== undefined) {
        command.error("error: '--otlp-file' and '--output' say the same; name one file");
      }
      done(await replay(files, options, createConsole(command)));
    });
}

/** What is wrong with the options of a format; `undefined` where they fit. */
function formatProblem(options: SpanOutputOptions): string | undefined {
  const { format, output, trajectory, subagents, profile, otlpFile, endpoint } = options;
  if (output === undefined && format !== 'otlp') return `'--format ${format}' needs '--output <path>'`;
  if (profile !== undefined && format !== 'otlp' && otlpFile === undefined && endpoint === undefined)
    return `'--profile' is for OTLP; '--format ${format}' has names of its own`;
  if (format === 'atif')
    return output === '-' ? "'--format atif' writes files: '--output' must be a folder" : undefined;
  const strange = trajectory !== undefined ? '--trajectory' : subagents !== undefined ? '--subagents' : undefined;
  return strange === undefined ? undefined : `'${strange}' goes with '--format atif'`;
}

/** `replay FILE…`: recordings and journals in, spans out to a file or an endpoint. Returns the exit code. */
export async function replay(paths: readonly string[], options: SpanOutputOptions, console: Console): Promise<number> {
  let prepared: Replay;
  try {
    prepared = await Replay.prepare(paths, options);
  } catch (error) {
    return console.refuse(error);
  }
  return prepared.run(console);
}

/** A replay whose options are good, whose inputs are open, and whose output is, if there is an input to read. */
export class Replay {
  readonly #inputs: readonly OpenInput[];
  readonly #report: InputReport;
  readonly #output: SpanOutput;

  private constructor(inputs: readonly OpenInput[], report: InputReport, output: SpanOutput) {
    this.#inputs = inputs;
    this.#report = report;
    this.#output = output;
  }

  /**
   * The output is the last to be opened, since that empties it. Inputs that cannot be opened are told by `run`.
   * @throws ObserverError `HO_OPTION`, `HO_PEER_MISSING`, `HO_OUTPUT_UNWRITABLE`; then nothing was touched.
   */
  static async prepare(paths: readonly string[], options: SpanOutputOptions): Promise<Replay> {
    const output = await SpanOutput.create(options);
    for (const path of [options.otlpFile, options.output]) {
      if (path !== undefined) refuseInputAsOutput(path, paths);
    }
    const report = new InputReport();
    const inputs = await openInputs(paths, report);
    try {
      if (inputs.length > 0) output.open();
    } catch (error) {
      for (const input of inputs) await input.close();
      throw error;
    }
    return new Replay(inputs, report, output);
  }

  /** Reads all, hands all spans over, and says what came of it. Returns the exit code. */
  async run(console: Console): Promise<number> {
    if (this.#inputs.length > 0) await this.#feed(new Progress());
    const report = this.#report;
    for (const line of report.lines()) console.error(line);
    console.debug(report.firstError);
    if (this.#inputs.length === 0) {
      console.note('no input could be opened; no output was touched');
      return EXIT_INCOMPLETE;
    }
    const { faults } = this.#output;
    if (this.#output.isReaderGone) return report.isClean ? EXIT_OK : EXIT_INCOMPLETE;
    for (const fault of faults) console.fault(fault);
    console.note(this.#summary());
    return report.isClean && faults.length === 0 ? EXIT_OK : EXIT_INCOMPLETE;
  }

  async #feed(progress: Progress): Promise<void> {
    const { bridge } = this.#output;
    for await (const records of readInputs(this.#inputs, this.#report)) {
      for (const record of records) bridge.handleRecord(record);
      progress.update(this.#report.records);
      await this.#output.ready();
    }
    progress.done();
    await this.#output.close();
  }

  #summary(): string {
    const { duplicates, tooLate, missing } = this.#output.bridge.stats;
    const parts = [counted(this.#report.records, 'record'), counted(this.#output.writtenSpans, 'span')];
    if (duplicates > 0) parts.push(`${duplicates} repeated`);
    if (missing > 0) parts.push(`${missing} missing by number`);
    if (tooLate > 0) parts.push(`${tooLate} too late for their turn`);
    return parts.join(', ');
  }
}
