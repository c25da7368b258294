import type { Capture } from '@hermes-observer/otel';
import type { Command } from 'commander';
import { costProcessors } from '../cost/cost-processor.js';
import { InputReport } from '../input/input-report.js';
import { collectRows } from '../view/collect-rows.js';
import { traceLines } from '../view/render.js';
import { printLines, terminalOptions } from '../view/terminal.js';
import { type Console, EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { addAgentOptions, addCostOptions, addTerminalOptions, given } from './options.js';
import type { Host } from './program.js';

export interface ViewOptions {
  /** Columns; default: those of the terminal, else 80. */
  readonly width?: number;
  /** Show excerpts of content. */
  readonly content?: boolean;
  /** Content that spans of a recording carry. Default: `redacted` with `content`, else `none`. */
  readonly capture?: Capture;
  readonly agentName?: string;
  /** Costs of requests, of recordings. `prices`: a file of own prices. */
  readonly cost?: boolean;
  readonly prices?: string;
}

type Given = ViewOptions & {
  readonly web?: boolean;
  readonly terminal?: boolean;
  readonly config?: string;
  readonly data?: string;
  readonly socket?: string;
};

const NO_TERMINAL =
  'error: --terminal needs a terminal for input and output: without it, view FILE prints text, and view gives the address of the page';

const SERVICE_ONLY =
  'error: --config, --data and --socket say where a service is: leave the files out, or name its data folder as one';

/** Sets up `view`. */
export function defineView(command: Command, { done, createConsole }: Host): void {
  addCostOptions(addTerminalOptions(addAgentOptions(command)))
    .argument(
      '[file...]',
      'recordings, OTLP/JSON files (one request a line), folders of these, or data folders of serve; - is standard input; without any, the page of the service that runs',
    )
    .option('--web', 'show the files in the browser, until Ctrl-C; content that they hold shows')
    .option(
      '--terminal',
      'go through turns in the terminal, live: those of the service that runs, or of the files, with the content that they hold; ? tells the keys',
    )
    .option('--config <file>', 'configuration of the service')
    .option('--data <folder>', 'data folder of the service')
    .option('--socket <path>', 'socket of the service')
    .action(async (files: string[], { capture: _, web = false, terminal = false, ...more }: Given) => {
      const { config, data, socket, ...rest } = more;
      const flags = { ...(data !== undefined && { data }), ...(socket !== undefined && { socket }) };
      const where = { flags, ...(config !== undefined && { file: config }) };
      const console = createConsole(command);
      const capture = given<Capture>(command, 'capture');
      const options = capture === undefined ? rest : { ...rest, capture };
      if (web && terminal) command.error('error: use one of --web and --terminal');
      if (files.length > 0 && (config ?? data ?? socket) !== undefined) command.error(SERVICE_ONLY);
      if (files.length === 0 && web) command.error("error: missing required argument 'file'");
      if (terminal && !hasTerminal(files)) command.error(NO_TERMINAL);
      try {
        if (rest.prices !== undefined) await costProcessors(true, rest.prices);
      } catch (error) {
        return done(console.refuse(error));
      }
      // Trees in the terminal need nothing of a server.
      if (terminal) done(await (await import('./terminal-view.js')).terminalView(files, options, console, where));
      else if (files.length === 0) done(await (await import('./open-service.js')).openService(console, where));
      else if (web) done(await (await import('./web-view.js')).webView(files, options, console));
      else done(await view(files, options, console));
    });
}

/** Keys come over standard input, so it can be no file as well. */
const hasTerminal = (files: readonly string[]) =>
  process.stdin.isTTY === true && process.stdout.isTTY === true && !files.includes('-');

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
  const { content = false, agentName, cost, prices } = options;
  const report = new InputReport();
  const { rows, faults } = await collectRows(paths, report, {
    capture: shownCapture(options),
    ...(agentName === undefined ? {} : { agentName }),
    ...(cost === undefined ? {} : { cost }),
    ...(prices === undefined ? {} : { prices }),
  });
  await printLines(traceLines(rows, { ...terminalOptions(options.width, out), content }), out);
  for (const line of report.lines()) console.error(line);
  console.debug(report.firstError);
  for (const fault of faults) console.fault(fault);
  return report.isClean && faults.length === 0 ? EXIT_OK : EXIT_INCOMPLETE;
}
