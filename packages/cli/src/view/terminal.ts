import { once } from 'node:events';
import pc from 'picocolors';
import type { RenderOptions } from './render.js';

const DEFAULT_WIDTH = 80;

/** How to show trees on this standard output: its width or 80, and colours only on a terminal that wants them. */
export function terminalOptions(
  width?: number,
  out: NodeJS.WriteStream = process.stdout,
): Required<Pick<RenderOptions, 'width' | 'colour'>> {
  return {
    width: width ?? (out.isTTY ? out.columns || DEFAULT_WIDTH : DEFAULT_WIDTH),
    colour: pc.isColorSupported && (out.isTTY === true || Boolean(process.env.FORCE_COLOR)),
  };
}

const CHUNK = 64 * 1024;

/** Writes lines in large pieces, no faster than they are read. Rejects with what the stream fails of meanwhile. */
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

async function write(text: string, out: NodeJS.WritableStream): Promise<void> {
  if (!out.write(text)) await once(out, 'drain');
}
