import { closeSync, openSync, readFileSync } from 'node:fs';
import { ReadStream, WriteStream } from 'node:tty';
import { ObserverError } from '@hermes-observer/core';

/** A terminal while a question stands on it. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Leaves it as it was. */
  close(): void;
}

/**
 * The terminal of this process, whatever its standard streams are: those stay untouched.
 * @throws ObserverError `HO_POLICY_CHANNEL` without one, and in the background, where reading would stop the process
 */
export function openTerminal(device: string): Terminal {
  if (isInBackground()) throw noTerminal('this process is in the background');
  const descriptors: number[] = [];
  try {
    for (const flag of ['r', 'w']) descriptors.push(openSync(device, flag));
    const [read = -1, write = -1] = descriptors;
    const input = new ReadStream(read);
    const output = new WriteStream(write);
    // What fails later ends the question, not the process.
    input.on('error', () => undefined);
    output.on('error', () => undefined);
    return {
      input,
      output,
      close: () => {
        input.destroy();
        output.destroy();
      },
    };
  } catch (cause) {
    for (const descriptor of descriptors) closeQuietly(descriptor);
    throw noTerminal(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function noTerminal(why: string, cause?: unknown): ObserverError {
  return new ObserverError('HO_POLICY_CHANNEL', `There is no terminal to ask at: ${why}.`, { cause });
}

/** Where the system tells: whether another process group than ours has the terminal. */
function isInBackground(): boolean {
  try {
    const [, rest = ''] = /\) (.*)$/s.exec(readFileSync('/proc/self/stat', 'utf8')) ?? [];
    const [, , group, , , foreground] = rest.split(' ');
    return Number(foreground) > 0 && foreground !== group;
  } catch {
    return false;
  }
}

function closeQuietly(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {}
}
