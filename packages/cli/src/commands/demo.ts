import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { InputReport } from '../input/input-report.js';
import type { SpanOutputOptions } from '../output/span-output.js';
import { collectRows } from '../view/collect-rows.js';
import { cutToWidth } from '../view/display-width.js';
import { traceLines } from '../view/render.js';
import { printLines, terminalOptions } from '../view/terminal.js';
import { Console, EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { replay } from './replay.js';
import { widthOption } from './view.js';

/** Recordings of a real agent with a scripted model, and what each one shows. */
export const DEMO_RECORDINGS = [
  { file: 'c-parallel-tools.ndjson', shows: 'Three tools at once: siblings, not a chain.' },
  { file: 'f-retry-after-429.ndjson', shows: 'A rate limit and a retry: one request, each failed attempt below it.' },
  { file: 'd-tool-blocked-by-plugin.ndjson', shows: 'A rule blocked a tool call: who did it, and no error.' },
  { file: 'p1-approval-once-tui.ndjson', shows: 'A command that a person had to approve: how long the agent waited.' },
  { file: 'l-delegate-batch-one-fails-sync.ndjson', shows: 'Three subagents at work at once; one of them failed.' },
  { file: 'n-delegate-nested-sync.ndjson', shows: 'A subagent with a subagent of its own, in one trace.' },
] as const;

export interface DemoOptions extends SpanOutputOptions {
  /** Columns; default: those of the terminal, else 80. */
  readonly width?: number;
}

const NEXT = [
  'Next, with recordings of your own agent:',
  '  hermes-observer view FILE                    show them like this',
  '  hermes-observer replay FILE --otlp-file OUT  write their spans as OTLP/JSON',
  '  hermes-observer replay FILE --endpoint URL   send their spans to a backend',
];

/** Sets up `demo` on a command that has the span options. `done` gets the exit code. */
export function defineDemo(command: Command, done: (exitCode: number) => void): void {
  command
    .description('show what the spans of an agent look like, from recordings that come with this package')
    .option('--otlp-file <path>', 'write the spans as OTLP/JSON as well, one request a line')
    .option('--endpoint <url>', 'send the spans over OTLP/HTTP as well, e.g. http://localhost:4318')
    .addOption(widthOption())
    .action(async (options: DemoOptions & { debug?: boolean }) => {
      done(await demo(options, new Console(options.debug === true)));
    });
}

export const demoPath = (file: string) => fileURLToPath(new URL(`../../demo/${file}`, import.meta.url));

/** `demo`: the bundled recordings as trees, and their spans to a file or an endpoint if asked. Returns the exit code. */
export async function demo(
  options: DemoOptions,
  console: Console,
  out: NodeJS.WriteStream = process.stdout,
): Promise<number> {
  const { width, otlpFile, endpoint, ...spans } = options;
  const show = terminalOptions(width, out);
  let isClean = true;
  for (const { file, shows } of DEMO_RECORDINGS) {
    const report = new InputReport();
    const { rows } = await collectRows([demoPath(file)], report, spans);
    for (const line of report.lines()) console.error(line);
    isClean &&= report.isClean;
    const content = options.capture !== undefined && options.capture !== 'none';
    await printLines(
      [cutToWidth(`» ${shows}`, show.width), '', ...traceLines(rows, { ...show, content, summary: false })],
      out,
    );
  }
  const sent = otlpFile === undefined && endpoint === undefined ? EXIT_OK : await send(options, console);
  await printLines(
    NEXT.map((line) => cutToWidth(line, show.width)),
    out,
  );
  return isClean ? sent : EXIT_INCOMPLETE;
}

function send({ width: _, ...options }: DemoOptions, console: Console): Promise<number> {
  const paths = DEMO_RECORDINGS.map(({ file }) => demoPath(file));
  return replay(paths, options, console);
}
