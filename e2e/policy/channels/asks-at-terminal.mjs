// An agent that asks at its terminal, and reads its own standard input beside: prints one line of JSON.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Approvals, FileStore, TerminalChannel } from '@hermes-observer/policy';

const folder = mkdtempSync(join(tmpdir(), 'policy-terminal-'));
const channel = new TerminalChannel();
const approvals = await Approvals.open({ store: await FileStore.open(join(folder, 'approvals')), channels: [channel] });
const questions = Number(process.argv[2] ?? 1);
const states = [];
let fault = '';
try {
  const asked = await Promise.all(
    Array.from({ length: questions }, (_, i) =>
      approvals.request({
        tool: `tool-${i}`,
        args: '{"text":"\\u001b[2J\u202e"}',
        digest: `${i}`.repeat(64),
        argsDigest: '',
        callId: `c-${i}`,
        turnId: '',
        taskId: '',
        sessionId: 's',
        agent: 'a',
        user: '',
        title: 't',
        gates: [{ name: 'g' }],
        approvers: [`terminal:${process.getuid()}`],
        requesterMayApprove: true,
        remember: null,
        channels: [],
        decisionId: `d-${i}`,
        expiresMs: 20_000,
      }),
    ),
  );
  for (const { id } of asked) {
    const { state, decider } = await approvals.answered(id, AbortSignal.timeout(15_000));
    states.push(`${state} ${decider?.channel}:${decider?.id}`);
  }
} catch (error) {
  fault = `${error.code ?? error.name}: ${error.message}`;
}
await approvals.close();
let input = '';
for await (const chunk of process.stdin.setEncoding('utf8')) input += chunk;
rmSync(folder, { recursive: true });
process.stdout.write(`${JSON.stringify({ states, fault, input, isRaw: process.stdin.isRaw ?? false })}\n`);
