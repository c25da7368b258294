import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Version of a Python package where the agent runs, by the folder that pip names for it. No Python is started. */
export function installedDistribution(home: string, name: string, env: NodeJS.ProcessEnv): string | undefined {
  for (const folder of sitePackages(home, env)) {
    const found = namesIn(folder).find((entry) => entry.startsWith(`${name}-`) && entry.endsWith('.dist-info'));
    if (found !== undefined) return found.slice(name.length + 1, -'.dist-info'.length);
  }
  return undefined;
}

/** Environments of the agent: that of its command, and those its installer makes. */
function sitePackages(home: string, env: NodeJS.ProcessEnv): string[] {
  const roots = [
    rootOfCommand(env),
    ...['hermes-agent/venv', 'hermes-agent/.venv', 'venv'].map((path) => join(home, path)),
  ];
  return roots.flatMap((root) => {
    if (root === undefined) return [];
    const libraries = join(root, 'lib');
    return namesIn(libraries)
      .filter((entry) => entry.startsWith('python3'))
      .map((entry) => join(libraries, entry, 'site-packages'));
  });
}

/** The environment of the `hermes` on the path, by the interpreter in its first line. */
function rootOfCommand(env: NodeJS.ProcessEnv): string | undefined {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    try {
      const script = realpathSync(join(folder, 'hermes'));
      const [, interpreter] = /^#!\s*(\S*python\S*)/.exec(readFileSync(script, 'utf8').slice(0, 512)) ?? [];
      return dirname(dirname(interpreter ?? script));
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
