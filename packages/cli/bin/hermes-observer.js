#!/usr/bin/env node
// A hook of an agent runs for each of its events, and must be over before it is noticed: it loads nothing else. This file is
// no module, since these start later. Whatever happens to a hook is not the agent's business, unless it is to decide for it.
if (process.argv[2] === 'hook' && process.argv[3] === 'claude-code') {
  try {
    require('../dist/claude-hook.cjs');
  } catch {
    if (process.argv.includes('--policy'))
      process.stderr.write('Blocked by policy (config_error): its hook is not built\n');
    process.exit(process.argv.includes('--policy') ? 2 : 0);
  }
} else {
  import('../dist/main.js').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write('hermes-observer: this clone is not built, or no longer whole: npm ci && npm run build\n');
    process.exitCode = 2;
  });
}
