import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand, TOP } from '../../run-command.js';
import { PolicyService } from './policy-service.js';

/** Far above what it takes, so that a busy machine passes: something that waits for a timer does not. */
const MOST_MICROS = 20_000;

it('a call that is asked about over the socket costs some milliseconds; one that is not, nothing more', async () => {
  const shared = mkdtempSync(join(tmpdir(), 'pol-'));
  const service = await PolicyService.start(shared, [
    { name: 'a', event: 'PreToolUse', execute: () => undefined },
    { name: 'b', event: 'PreToolUse', matcher: { tool: 'term*' }, execute: async () => ({ allow: true }) },
  ]);
  try {
    const env = {
      HERMES_OBSERVER_SOCKET: join(shared, 'run/observer.sock'),
      HERMES_OBSERVER_DATA: join(shared, 'data'),
    };
    const tool = join(TOP, 'integrations/hermes-agent/tools/ask_cost.py');
    const { code, stdout, stderr } = await runCommand('python3', [tool, '500'], { env });
    expect(code, stderr).toBe(0);
    console.log(stdout.trim());
    const took = JSON.parse(stdout) as Record<'off' | 'on', { p50: number }>;
    expect(took.on.p50).toBeLessThan(MOST_MICROS);
    expect(took.off.p50).toBeLessThan(500);
  } finally {
    await service.close();
    rmSync(shared, { recursive: true, force: true });
  }
}, 120_000);
