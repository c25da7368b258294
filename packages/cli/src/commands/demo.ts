import { fileURLToPath } from 'node:url';
import type { Capture } from '@hermes-observer/otel';
import type { Command } from 'commander';
import { InputReport } from '../input/input-report.js';
import type { SpanOutputOptions } from '../output/span-output.js';
import { collectRows } from '../view/collect-rows.js';
import { cutToWidth } from '../view/display-width.js';
import { traceLines } from '../view/render.js';
import { printLines, terminalOptions } from '../view/terminal.js';
import { type Console, EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { invocation } from './invocation.js';
import { addAgentOptions, addOutputOptions, addTerminalOptions, given } from './options.js';
import type { Host } from './program.js';
import { Replay } from './replay.js';
import { shownCapture, type ViewOptions } from './view.js';

/** Recordings of a real agent with a scripted model, and what each one shows. */
export const DEMO_RECORDINGS = [
  { file: 'c-parallel-tools.ndjson', shows: 'Three tools at once: siblings, not a chain.' },
  { file: 'f-retry-after-429.ndjson', shows: 'A rate limit and a retry: one request, each failed attempt below it.' },
  { file: 'd-tool-blocked-by-plugin.ndjson', shows: 'A rule blocked a tool call: who did it, and no error.' },
  { file: 'p1-approval-once-tui.ndjson', shows: 'A command that a person had to approve: how long the agent waited.' },
  { file: 'l-delegate-batch-one-fails-sync.ndjson', shows: 'Three subagents at work at once; one of them failed.' },
  { file: 'n-delegate-nested-sync.ndjson', shows: 'A subagent with a subagent of its own, in one trace.' },
] as const;

/** `capture` is what spans carry that are written or sent, and what the trees show with `content`. */
export type DemoOptions = ViewOptions &
  Omit<SpanOutputOptions, 'exporters'> & {
    /** Show the page too; default: where somebody looks on. */
    readonly web?: boolean;
  };

type Environment = Readonly<Record<string, string | undefined>>;

const NEXT = [
  ['view FILE', 'show them like this'],
  ['replay FILE --otlp-file OUT', 'write their spans as OTLP/JSON'],
  ['replay FILE --endpoint URL', 'send their spans to a backend'],
] as const;

/** Sets up `demo`. */
export function defineDemo(command: Command, { done, createConsole }: Host): void {
  addTerminalOptions(addOutputOptions(addAgentOptions(command), ' as well'))
    .option('--web', 'show them in the browser as well, until q or Ctrl-C (default on a terminal)')
    .option('--no-web', 'print them and end')
    .action(async ({ capture: _, ...rest }: DemoOptions) => {
      const capture = given<Capture>(command, 'capture');
      if (rest.web === true && rest.otlpFile === '-') command.error('error: use one of --web and --otlp-file -');
      done(await demo(capture === undefined ? rest : { ...rest, capture }, createConsole(command)));
    });
}

/** Whether the page is shown: as asked, else only to somebody at a terminal, who has not asked for the spans to go elsewhere. */
export function showsPage(
  { web, otlpFile, endpoint }: DemoOptions,
  isTerminal: boolean,
  { CI = '' }: Environment = process.env,
): boolean {
  return web ?? (isTerminal && CI === '' && otlpFile === undefined && endpoint === undefined);
}

export const demoPath = (file: string) => fileURLToPath(new URL(`../../demo/${file}`, import.meta.url));

/**
 * `demo`: the bundled recordings as trees, then in the browser, and their spans to a file or an endpoint if asked. With the spans
 * on standard output there are no trees. `command` is how this command is started. Returns the exit code.
 */
export async function demo(
  options: DemoOptions,
  console: Console,
  out: NodeJS.WriteStream = process.stdout,
  command: string = invocation(),
): Promise<number> {
  let sending: Replay | undefined;
  try {
    sending = await prepareSending(options);
  } catch (error) {
    return console.refuse(error);
  }
  if (options.otlpFile === '-') return sending?.run(console) ?? EXIT_OK;
  const isClean = await showTrees(options, console, out);
  const sent = sending === undefined ? EXIT_OK : await sending.run(console);
  const exitCode = isClean ? sent : EXIT_INCOMPLETE;
  const isShown = showsPage(options, out.isTTY === true);
  await printLines([...(isShown ? [] : pageLines(command)), ...nextLines(command)], out);
  // Where nobody looks on, there is an end.
  if (!isShown) return exitCode;
  const paths = DEMO_RECORDINGS.map(({ file }) => demoPath(file));
  const { webView } = await import('./web-view.js');
  // The recordings are of a scripted model: there is nothing in them that may not be seen.
  const view = { ...options, capture: options.capture ?? 'full' };
  const shown = await webView(paths, view, console, out, undefined, process.stdin);
  return exitCode === EXIT_OK ? shown : exitCode;
}

const pageLines = (command: string) => ['The same in the browser:', `  ${command} demo --web`, ''];

/** Commands stand in lines of their own and are never cut: they are to be copied. */
function nextLines(command: string): string[] {
  return [
    'Next, with recordings of your own agent:',
    ...NEXT.flatMap(([what, why]) => [`  ${command} ${what}`, `      ${why}`]),
  ];
}

async function showTrees(options: DemoOptions, console: Console, out: NodeJS.WriteStream): Promise<boolean> {
  const { width, content = false, agentName } = options;
  const show = terminalOptions(width, out);
  const spans = { capture: shownCapture(options), ...(agentName === undefined ? {} : { agentName }) };
  let isClean = true;
  for (const { file, shows } of DEMO_RECORDINGS) {
    const report = new InputReport();
    const { rows } = await collectRows([demoPath(file)], report, spans);
    for (const line of report.lines()) console.error(line);
    isClean &&= report.isClean;
    const lines = traceLines(rows, { ...show, content, summary: false });
    await printLines([cutToWidth(`» ${shows}`, show.width), '', ...lines], out);
  }
  return isClean;
}

async function prepareSending({
  width: _,
  content: __,
  web: ___,
  ...options
}: DemoOptions): Promise<Replay | undefined> {
  if (options.otlpFile === undefined && options.endpoint === undefined) return undefined;
  const paths = DEMO_RECORDINGS.map(({ file }) => demoPath(file));
  return await Replay.prepare(paths, options);
}
