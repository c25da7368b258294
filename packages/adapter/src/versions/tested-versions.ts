import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Guard, type Warn } from '../guard.js';
import { isInRange } from './version-range.js';

/** What the manifest of an adapter says of versions. As peers they take any: a range there would keep npm from installing others. */
export interface AdapterManifest {
  readonly name: string;
  /** Ranges by the name of a framework's package. */
  readonly testedVersions: Readonly<Record<string, string>>;
  /** Those that tell nobody what they do, so that no setting has them observed. */
  readonly silentVersions?: Readonly<Record<string, string>>;
}

/** Why a version is not observed, whatever is set; `undefined` where it can be. */
export function whySilent(manifest: AdapterManifest, framework: string, version: string): string | undefined {
  const silent = manifest.silentVersions?.[framework];
  if (silent === undefined || !isInRange(version, silent)) return undefined;
  return `such a version tells nobody what it does; tested are ${manifest.testedVersions[framework]}`;
}

/**
 * Says once of each framework, where the program has it at a version that its adapter was not tested with. Never throws.
 *
 * @param adapterFile address of a file in the adapter's `dist` or `src`
 */
export function tellUntested(adapterFile: string, warn?: Warn): void {
  try {
    const manifest = manifestAt(fileURLToPath(new URL('../package.json', adapterFile))) as AdapterManifest;
    const guard = new Guard(manifest.name, warn);
    for (const [framework, range] of Object.entries(manifest.testedVersions)) {
      const version = installedVersion(framework);
      if (version === undefined || isInRange(version, range)) continue;
      const silent = whySilent(manifest, framework, version);
      guard.tell(
        silent === undefined
          ? `${framework} ${version} is observed, and was not tested: tested are ${range}`
          : `${framework} ${version} is not observed: ${silent}`,
      );
    }
  } catch {
    // Nothing is known of versions then.
  }
}

/** As the program finds it; else as it is found from the working directory. */
function installedVersion(framework: string): string | undefined {
  const [, program] = process.argv;
  const starts = [
    ...(program !== undefined && existsSync(program) ? [dirname(realpathSync(program))] : []),
    process.cwd(),
  ];
  for (const start of starts) {
    for (let folder = start; ; folder = dirname(folder)) {
      const manifest = join(folder, 'node_modules', framework, 'package.json');
      if (existsSync(manifest)) return String((manifestAt(manifest) as { version?: unknown }).version);
      if (folder === dirname(folder)) break;
    }
  }
  return undefined;
}

const manifestAt = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
