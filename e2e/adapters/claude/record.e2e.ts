// What Claude Code writes to its hooks, recorded anew with `E2E_RECORD=1`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { ClaudeCode, hookSettings, linesOf, SESSIONS } from './claude-code.js';
import { CLAUDE_CODE, NEWEST, sdkAt } from './versions.js';

const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PermissionDenied',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'Stop',
  'StopFailure',
  'SessionEnd',
];
const recordings = new URL(`../../../conformance/claude/claude-code-${CLAUDE_CODE}/`, import.meta.url);

if (process.env.E2E_RECORD === '1') {
  const { folder } = await sdkAt(NEWEST);
  it.each(Object.entries(SESSIONS))('records %s', async (name, session) => {
    const claude = new ClaudeCode(folder, hookSettings(EVENTS, '{ cat; echo; } >> "$HOME/hooks.ndjson"'));
    const told = await claude.run(session);
    mkdirSync(recordings, { recursive: true });
    const lines = linesOf(join(claude.home, 'hooks.ndjson'));
    if (lines.length === 0) throw new Error(told);
    writeFileSync(new URL(`${name}.ndjson`, recordings), claude.neutral(`${lines.join('\n')}\n`));
    claude.close();
  });
}
