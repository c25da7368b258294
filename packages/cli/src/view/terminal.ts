import { stdoutError } from '../output/standard-streams.js';
import type { RenderOptions } from './render.js';

const DEFAULT_WIDTH = 80;

/** How to show trees on this standard output: its width or 80, and in colours or not. */
export function terminalOptions(
  width?: number,
  out: NodeJS.WriteStream = process.stdout,
): Required<Pick<RenderOptions, 'width' | 'colour'>> {
  return {
    width: width ?? (out.isTTY ? out.columns || DEFAULT_WIDTH : DEFAULT_WIDTH),
    colour: wantsColour(out.isTTY === true, process.env),
  };
}

/**
 * `NO_COLOR` switches colours off, then `FORCE_COLOR` on, or off with `0` or `false`; else a terminal has them unless it
 * is `dumb`. An empty variable says nothing.
 */
export function wantsColour(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.NO_COLOR) return false;
  const force = env.FORCE_COLOR?.trim().toLowerCase();
  if (force) return force !== '0' && force !== 'false';
  return isTerminal && env.TERM !== 'dumb';
}

const CHUNK = 64 * 1024;

/**
 * Writes lines in large pieces, no faster than they are read.
 * @throws ObserverError `HO_OUTPUT_UNWRITABLE` for what the stream fails of meanwhile.
 */
export async function printLines(lines: Iterable<string>, out: NodeJS.WritableStream = process.stdout): Promise<void> {
  let text = '';
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < CHUNK) continue;
    await write(text, out);
    text = '';
  }
  if (text !== '') await write(text, out);
}

function write(text: string, out: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    out.write(text, (error) => (error ? reject(stdoutError(error)) : resolve()));
  });
}
