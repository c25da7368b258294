import { readFileSync } from 'node:fs';
import { CAPTURE_MODES } from '@hermes-observer/otel';
import { Command, Option } from 'commander';
import { Console } from './console.js';
import { defineDemo } from './demo.js';
import { replay } from './replay.js';
import { defineView } from './view.js';

export type Done = (exitCode: number) => void;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Options of every command that makes spans. */
export function spanOptions(command: Command): Command {
  return command
    .addOption(new Option('--capture <mode>', 'how much content spans carry').choices(CAPTURE_MODES).default('none'))
    .addOption(new Option('--profile <name>', 'attribute names').choices(['genai']).default('genai'))
    .option('--agent-name <name>', 'name of the agent whose turns these are', 'hermes')
    .option('--service-name <name>', 'service.name of the spans (default: OTEL_SERVICE_NAME, else hermes-agent)');
}

export const debugOption = () => new Option('--debug', 'show stack traces of faults');

/** The command line. `done` is called with the exit code of the command that ran. */
export function createProgram(done: Done): Command {
  const program = new Command('hermes-observer')
    .description('Hook records of an agent as OpenTelemetry spans.')
    .version(version)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true });

  spanOptions(program.command('replay'))
    .description('read recordings (NDJSON) and write their spans')
    .argument('<file...>', 'recordings; - is standard input')
    .option('--otlp-file <path>', 'write OTLP/JSON, one request a line')
    .option('--endpoint <url>', 'send OTLP over HTTP, e.g. http://localhost:4318')
    .addOption(debugOption())
    .action(async (files: string[], options, command: Command) => {
      if (options.otlpFile === undefined && options.endpoint === undefined) {
        command.error("error: say where the spans go: '--otlp-file <path>' or '--endpoint <url>'");
      }
      done(await replay(files, options, new Console(options.debug === true)));
    });
  defineView(spanOptions(program.command('view')).addOption(debugOption()), done);
  defineDemo(spanOptions(program.command('demo')).addOption(debugOption()), done);
  return program;
}
