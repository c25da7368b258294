import { basename, relative } from 'node:path';

/** The name under which the package is installed as a command. */
const BIN = 'hermes-observer';

/**
 * This command as whoever started it would type it: its name, or `node` with the path of the script from where they
 * are. `script` is what `process.argv[1]` holds.
 */
export function invocation(script = process.argv[1] ?? '', folder = process.cwd()): string {
  if (script === '' || basename(script).replace(/\.(cmd|exe|ps1)$/i, '') === BIN) return BIN;
  const path = relative(folder, script);
  return `node ${asWord(path)}`;
}

/** A path as one word of a command line. */
export const asWord = (path: string): string => (/^[\w./\\:@+-]+$/.test(path) ? path : JSON.stringify(path));

/** Advice with commands of ours as they are typed here: a clone has no `hermes-observer` on the path. */
export function asTyped(text: string, command = invocation()): string {
  return text.replace(/(?<![\w./-])hermes-observer(?= (?:check|config|install|serve|uninstall)\b)/g, () => command);
}
