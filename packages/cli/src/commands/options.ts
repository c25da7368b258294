import { CAPTURE_MODES } from '@hermes-observer/otel';
import { PROFILE_NAMES, type ProfileName } from '@hermes-observer/profiles';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { OUTPUT_FORMATS } from '../output/span-output.js';
import { LEAST_WIDTH } from '../view/render.js';

/** @throws InvalidArgumentError for a text of blanks alone. */
export function parseText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

/** `--width` as a number. @throws InvalidArgumentError for what is none, or is less than 20. */
export function parseWidth(text: string): number {
  const width = Number(text);
  if (!Number.isInteger(width) || width < LEAST_WIDTH) {
    throw new InvalidArgumentError(`Give a whole number of columns, ${LEAST_WIDTH} or more.`);
  }
  return width;
}

/** `--profile` as a list. @throws InvalidArgumentError for a name that no profile has. */
export function parseProfiles(text: string): ProfileName[] {
  const names = text.split(',').map((name) => name.trim());
  const strange = names.find((name) => !(PROFILE_NAMES as readonly string[]).includes(name));
  if (strange !== undefined) throw new InvalidArgumentError(`Allowed choices are ${PROFILE_NAMES.join(', ')}.`);
  return names as ProfileName[];
}

const text = (flags: string, description: string) => new Option(flags, description).argParser(parseText);

/** Options of every command that makes spans of recordings. */
export function addAgentOptions(command: Command): Command {
  return command
    .addOption(new Option('--capture <mode>', 'how much content spans carry').choices(CAPTURE_MODES).default('none'))
    .addOption(text('--agent-name <name>', 'name of the agent whose turns these are').default('hermes'));
}

/** Options of what tells of costs. */
export function addCostOptions(command: Command): Command {
  return command
    .option('--cost', 'what model requests cost, from a list of prices')
    .addOption(text('--prices <file>', 'the same, with prices of your own before the list: YAML or JSON'));
}

/** Options of what hands spans on. */
export function addOutputOptions(command: Command, asWell = ''): Command {
  return command
    .addOption(
      text(
        '--otlp-file <path>',
        `write the spans as OTLP/JSON${asWell}, one request a line; the file is written anew; - is standard output`,
      ),
    )
    .addOption(text('--endpoint <url>', `send the spans over OTLP/HTTP${asWell}, e.g. http://localhost:4318`))
    .addOption(
      text('--service-name <name>', 'service.name of the spans (default: OTEL_SERVICE_NAME, else hermes-agent)'),
    )
    .addOption(
      new Option(
        '--profile <names>',
        `names of attributes, one or more with commas: ${PROFILE_NAMES.join(', ')} (default: genai)`,
      ).argParser(parseProfiles),
    );
}

/** Options of what writes spans in other formats. */
export function addFormatOptions(command: Command): Command {
  return command
    .addOption(new Option('--format <name>', 'what --output is written as').choices(OUTPUT_FORMATS).default('otlp'))
    .addOption(
      text(
        '--output <path>',
        'write the spans there: a file, written anew, or for atif a folder; - is standard output',
      ),
    )
    .addOption(
      new Option('--trajectory <each>', 'with atif: one file a turn or a session').choices(['turn', 'session']),
    )
    .addOption(
      new Option('--subagents <where>', 'with atif: child agents in the file of their parent or in their own').choices([
        'embedded',
        'files',
      ]),
    );
}

/** Options of what shows spans in the terminal. */
export function addTerminalOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--width <columns>', 'fit into so many columns (default: those of the terminal, else 80)').argParser(
        parseWidth,
      ),
    )
    .option(
      '--content',
      'show excerpts of content; of recordings with secrets masked, unless --capture says otherwise',
    );
}

/** The option if it was given, not if it is a default. */
export function given<T>(command: Command, name: string): T | undefined {
  return command.getOptionValueSource(name) === 'default' ? undefined : (command.getOptionValue(name) as T | undefined);
}
