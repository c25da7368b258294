import { type BigIntStats, fstatSync, statSync } from 'node:fs';
import { ObserverError } from '@hermes-observer/core';

/**
 * An output that is one of the inputs would be emptied before it is read. Looks at what the paths lead to: links and
 * other spellings count. `-` is standard input or output.
 * @throws ObserverError `HO_OPTION` that names the input.
 */
export function refuseInputAsOutput(outputPath: string, inputPaths: readonly string[]): void {
  const output = statsOf(outputPath, 1);
  // Two names of one terminal or socket are no danger.
  if (output === undefined || output.isCharacterDevice() || output.isSocket()) return;
  for (const path of inputPaths) {
    const input = statsOf(path, 0);
    if (input?.dev !== output.dev || input.ino !== output.ino) continue;
    const same = path === '-' ? 'standard input' : path;
    throw new ObserverError(
      'HO_OPTION',
      `${outputPath} would overwrite an input: ${same} is the same file; name another one for the spans`,
    );
  }
}

/** `undefined` for what is not there or cannot be looked at: it is not the other file either. */
function statsOf(path: string, standardFd: 0 | 1): BigIntStats | undefined {
  try {
    return path === '-' ? fstatSync(standardFd, { bigint: true }) : statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}
