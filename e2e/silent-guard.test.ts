import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = `
import { Hub } from '@hermes-observer/core';
const hub = new Hub({ onError() {} });
hub.respond('pre_tool_call', () => new Promise(() => {}));
const { decision, kind } = await hub.ask('pre_tool_call', { tool_name: 'x' }, { timeoutMs: 100 });
process.stdout.write(decision + ' ' + kind);
`;

it('a guard that never answers blocks, also when the process waits for nothing else', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'block hook_timeout', stderr: '' });
});
