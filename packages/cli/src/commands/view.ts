import type { Capture } from '@hermes-observer/otel';
import type { Command } from 'commander';
import { InputReport } from '../input/input-report.js';
import { collectRows } from '../view/collect-rows.js';
import { traceLines } from '../view/render.js';
import { printLines, terminalOptions } from '../view/terminal.js';
import { type Console, EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { addAgentOptions, addTerminalOptions, given } from './options.js';
import type { Host } from './program.js';

export interface ViewOptions {
  /** Columns; default: those of the terminal, else 80. */
  readonly width?: number;
  /** Show excerpts of content. */
  readonly content?: boolean;
  /** Content that spans of a recording carry. Default: `redacted` with `content`, else `none`. */
  readonly capture?: Capture;
  readonly agentName?: string;
}

/** Sets up `view`. */
export function defineView(command: Command, { done, createConsole }: Host): void {
  addTerminalOptions(addAgentOptions(command))
    .argument(
      '<file...>',
      'recordings, data folders of serve, or OTLP/JSON files, one request a line; - is standard input',
    )
    .action(async (files: string[], { capture: _, ...rest }: ViewOptions) => {
      const capture = given<Capture>(command, 'capture');
      done(await view(files, capture === undefined ? rest : { ...rest, capture }, createConsole(command)));
    });
}

/** What spans have to carry so that there is something to show. */
export function shownCapture({ capture, content = false }: Pick<ViewOptions, 'capture' | 'content'>): Capture {
  return capture ?? (content ? 'redacted' : 'none');
}

/** `view FILE…`: prints recordings, journals and OTLP/JSON files as trees. Returns the exit code. */
export async function view(
  paths: readonly string[],
  options: ViewOptions,
  console: Console,
  out: NodeJS.WriteStream = process.stdout,
): Promise<number> {
  const { content = false, agentName } = options;
  const report = new InputReport();
  const { rows, faults } = await collectRows(paths, report, {
    capture: shownCapture(options),
    ...(agentName === undefined ? {} : { agentName }),
  });
  await printLines(traceLines(rows, { ...terminalOptions(options.width, out), content }), out);
  for (const line of report.lines()) console.error(line);
  console.debug(report.firstError);
  for (const fault of faults) console.fault(fault);
  return report.isClean && faults.length === 0 ? EXIT_OK : EXIT_INCOMPLETE;
}
