import type { ConfigSources } from '../config/load-config.js';
import { LiveView, ServiceSource, StoreSource, type TurnSource } from '../terminal/index.js';
import { terminalOptions } from '../view/terminal.js';
import { type Console, EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { runningService } from './running-service.js';
import type { ViewOptions } from './view.js';

/**
 * `view --terminal`: turns of the service that runs, or of files, in a terminal, until somebody quits. Standard input and
 * output have to be one. Returns the exit code.
 */
export async function terminalView(
  paths: readonly string[],
  options: ViewOptions,
  console: Console,
  where: ConfigSources = {},
): Promise<number> {
  try {
    return paths.length === 0 ? await ofService(console, where) : await ofFiles(paths, options, console);
  } catch (error) {
    return console.refuse(error);
  }
}

async function ofService(console: Console, where: ConfigSources): Promise<number> {
  const service = await runningService(where);
  if ('problem' in service) {
    console.error(service.problem);
    return EXIT_INCOMPLETE;
  }
  return show(new ServiceSource(() => locate(where), service));
}

async function ofFiles(paths: readonly string[], options: ViewOptions, console: Console): Promise<number> {
  const [{ InputReport }, { storeOf }] = await Promise.all([
    import('../input/input-report.js'),
    import('./web-view.js'),
  ]);
  const report = new InputReport();
  const store = await storeOf(paths, options, report);
  for (const line of report.lines()) console.error(line);
  if (store.traces === 0) {
    console.note('there are no spans to show');
    return EXIT_INCOMPLETE;
  }
  const { leftOutSpans, evictedSpans } = store.counts;
  if (leftOutSpans + evictedSpans > 0) {
    console.error(`${leftOutSpans + evictedSpans} spans had no room and are not shown`);
  }
  const exitCode = await show(new StoreSource(store));
  return exitCode === EXIT_OK && !report.isClean ? EXIT_INCOMPLETE : exitCode;
}

/** After a restart it may listen elsewhere. @throws Error while none runs */
async function locate(where: ConfigSources) {
  const service = await runningService(where);
  if ('problem' in service) throw new Error(service.problem);
  return service;
}

function show(source: TurnSource): Promise<number> {
  const { colour } = terminalOptions();
  return new LiveView({ source, input: process.stdin, output: process.stdout, colour }).run();
}
