import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PolicyScene } from './policy-scene.test-support.js';

let scene: PolicyScene;
beforeEach(() => {
  scene = new PolicyScene();
});
afterEach(() => scene.end());

const ASKS = `
channels: { command: , web: }
hooks:
  PreToolUse:
    - { use: CommandGuard, match: terminal, with: { deny: [shutdown] } }
    - { use: ApprovalGate, match: pay, with: { title: A payment } }
`;

it('the status says which policy is in force', async () => {
  await scene.start(ASKS);
  const status = JSON.parse(
    await (await fetch(`${scene.url}/v1/status`, { headers: { authorization: `Bearer ${scene.token}` } })).text(),
  ) as { policy: object };
  expect(status.policy).toEqual({
    name: 'policy',
    file: scene.policy,
    state: join(scene.data, 'policy'),
    mode: 'enforce',
    hooks: 2,
    calls: 0,
    unmatched: ['CommandGuard', 'ApprovalGate'],
    channels: ['command', 'web'],
  });
  expect(scene.running?.lines().join('\n')).toContain(
    `policy     policy (${scene.policy}): 2 hooks; asks through command, web; approvals at ${scene.url}/approvals`,
  );
  expect(readFileSync(scene.policy, 'utf8')).toBe(ASKS);
});
