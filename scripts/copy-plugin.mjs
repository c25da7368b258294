// Puts the plugin of the Hermes Agent into the package of the command, which installs it. Part of `npm run build`.
import { cpSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../integrations/hermes-agent/hermes_observer_forwarder', import.meta.url));
const target = fileURLToPath(new URL('../packages/cli/hermes-plugin', import.meta.url));

rmSync(target, { recursive: true, force: true });
cpSync(source, target, { recursive: true, filter: (path) => !/^__pycache__$|\.pyc$/.test(basename(path)) });
