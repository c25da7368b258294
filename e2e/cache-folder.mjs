import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where programs, agents and virtual environments of the suites are kept. */
export const cacheFolder = resolve(
  process.env.E2E_CACHE_DIR ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'hermes-observer-e2e'),
);
