import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../listeners/memory-service.test-support.js';
import type { TraceRow } from '../traces/trace-row.js';
import { PolicyScene } from './policy-scene.test-support.js';

let scene: PolicyScene;
beforeEach(() => {
  scene = new PolicyScene();
});
afterEach(() => scene.end());

const ASKS = `
channels: { command: }
hooks:
  PreToolUse:
    - use: ApprovalGate
      match: pay
      with: { title: A payment }
`;

async function turns(): Promise<TraceRow[]> {
  const headers = { authorization: `Bearer ${scene.token}` };
  const answer = await fetch(`${scene.url}/api/turns`, { headers });
  return ((await answer.json()) as { rows: TraceRow[] }).rows;
}

async function waits(expected: boolean): Promise<boolean> {
  for (let i = 0; i < 60; i++) {
    const [row] = await turns();
    if (row?.waitsForHuman === expected) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

it('a turn that waits for a person still does after a restart', async () => {
  await scene.start(ASKS);
  const before = scene.client();
  const call = { session_id: 's', turn_id: 't', tool_call_id: 'c', tool_name: 'pay', args: { amount: 7 } };
  scene.record(before, 'pre_llm_call', { session_id: 's', turn_id: 't' });
  scene.record(before, 'pre_tool_call', call);
  void scene.ask(before, call).catch(() => undefined);
  await eventually(() => scene.said.find((said) => said.includes('policy approve')));
  expect(await waits(true)).toBe(true);
  await scene.stop();
  await before.closed;
  await scene.start();
  expect(await waits(true)).toBe(true);
  const [row] = await turns();
  expect(row?.waitingCalls).toMatchObject([{ name: 'pay' }]);
  const after = scene.client();
  const answer = scene.ask(after, call);
  expect(await scene.approve(after)).toMatchObject({ ok: true });
  expect(await answer).toMatchObject({ decision: 'allow' });
  expect(await waits(false)).toBe(true);
});
