import type { Capture } from '@hermes-observer/otel';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { InputReport } from '../input/input-report.js';
import { collectRows } from '../view/collect-rows.js';
import { LEAST_WIDTH, traceLines } from '../view/render.js';
import { printLines, terminalOptions } from '../view/terminal.js';
import { Console, EXIT_INCOMPLETE, EXIT_OK } from './console.js';

export interface ViewOptions {
  /** Columns; default: those of the terminal, else 80. */
  readonly width?: number;
  /** Show excerpts of content. */
  readonly content?: boolean;
  /** Content that spans of a recording carry. Default: `redacted` with `content`, else `none`. */
  readonly capture?: Capture;
  readonly agentName?: string;
}

/** `--width` as a number. @throws InvalidArgumentError for what is none, or is less than 20. */
export function parseWidth(text: string): number {
  const width = Number(text);
  if (!Number.isInteger(width) || width < LEAST_WIDTH) {
    throw new InvalidArgumentError(`Give a whole number of columns, ${LEAST_WIDTH} or more.`);
  }
  return width;
}

export const widthOption = () =>
  new Option('--width <columns>', 'fit into so many columns (default: those of the terminal, else 80)').argParser(
    parseWidth,
  );

/** Sets up `view` on a command that has the span options. `done` gets the exit code. */
export function defineView(command: Command, done: (exitCode: number) => void): void {
  command
    .description('show recordings or OTLP/JSON files as trees in the terminal')
    .argument('<file...>', 'recordings or OTLP/JSON files, one request a line; - is standard input')
    .addOption(widthOption())
    .option('--content', 'show excerpts of content; of recordings with secrets masked, unless --capture says otherwise')
    .action(async (files: string[], options: ViewOptions & { debug?: boolean }, self: Command) => {
      const { capture, ...rest } = options;
      const chosen = self.getOptionValueSource('capture') === 'default' ? undefined : capture;
      done(
        await view(
          files,
          chosen === undefined ? rest : { ...rest, capture: chosen },
          new Console(options.debug === true),
        ),
      );
    });
}

/** `view FILE…`: prints recordings and OTLP/JSON files as trees. Returns the exit code. */
export async function view(
  paths: readonly string[],
  options: ViewOptions,
  console: Console,
  out: NodeJS.WriteStream = process.stdout,
): Promise<number> {
  const { content = false, agentName } = options;
  const report = new InputReport();
  const { rows, faults } = await collectRows(paths, report, {
    capture: options.capture ?? (content ? 'redacted' : 'none'),
    ...(agentName === undefined ? {} : { agentName }),
  });
  await printLines(traceLines(rows, { ...terminalOptions(options.width, out), content }), out);
  for (const line of report.lines()) console.error(line);
  console.debug(report.firstError);
  for (const fault of faults) console.fault(fault);
  return report.isClean && faults.length === 0 ? EXIT_OK : EXIT_INCOMPLETE;
}
