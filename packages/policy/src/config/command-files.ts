import { existsSync } from 'node:fs';
import { basename, delimiter, resolve } from 'node:path';
import { configError } from '../hooks/config-error.js';

/** Words after which comes a program text, or a name that is looked up elsewhere. */
const BEFORE_TEXT = /^(-[cemr]|--(eval|print|require|import|module))$/;
const SCRIPT = /^[^-\s=:*?][^\s=:*?]*\.(py|js|mjs|cjs|ts|sh|bash|rb|pl|php|lua)$/i;

/**
 * What is not there at the start would block each call later: the program, and the first word that looks like its script.
 * @throws ObserverError `HO_POLICY_CONFIG`
 */
export function checkCommandFiles(
  words: readonly string[],
  cwd: string,
  searched: string | undefined,
  where: string,
): void {
  const [program = ''] = words;
  if (program.includes('/')) {
    if (!existsSync(resolve(cwd, program))) throw configError(`\`command\` of ${where}: ${program} is not there.`);
  } else if (process.platform !== 'win32' && searched !== undefined) {
    const isFound = searched.split(delimiter).some((folder) => existsSync(resolve(cwd, folder, program)));
    if (!isFound) throw configError(`\`command\` of ${where}: ${program} is not found in the folders of PATH.`);
  }
  if (basename(program) === 'env') return;
  const script = words.find((word, i) => i > 0 && SCRIPT.test(word) && !BEFORE_TEXT.test(words[i - 1] ?? ''));
  if (script === undefined || existsSync(resolve(cwd, script))) return;
  throw configError(`\`command\` of ${where}: ${resolve(cwd, script)} is not there.`);
}
