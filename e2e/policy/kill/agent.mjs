// An agent in a process of its own: calls that a person has to approve, each of which leaves a line in a file. The test talks to
// it by messages, and kills it.
import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Approvals, createPolicy, FileStore, openPostgresStore, openSqliteStore } from '@hermes-observer/policy';

const { kind, place, effects, sendMs } = JSON.parse(process.argv[2]);
const LEASE = { leaseMs: 900 };
const openStore = {
  file: () => FileStore.open(place, { compactBytes: 200_000 }),
  sqlite: () => openSqliteStore(place, LEASE),
  postgres: () => openPostgresStore({ connectionString: place, ...LEASE }),
};
const store = await openStore[kind]();

const channel = {
  name: 'person',
  async send({ approval, token }) {
    const message = randomUUID();
    process.send({ at: 'card', callId: approval.callId, approvalId: approval.id, token, message });
    return { tenant: 'T', chat: 'C', message };
  },
  async update() {},
};
const approvals = await Approvals.open({ store, channels: [channel], sendMs });
const payments = { name: 'payments', event: 'PreToolUse', execute: () => ({ ask: { expiresMs: Infinity } }) };
const policy = createPolicy({ hooks: [payments], approvals });

/** What must happen once at most. */
async function pay(callId) {
  process.send({ at: 'executing', callId });
  const file = await open(effects, 'a');
  await file.write(`${callId}\n`);
  await file.sync();
  await file.close();
  process.send({ at: 'ran', callId });
}

async function run(callId) {
  const call = { tool: 'pay', args: { to: callId, amount: 10 }, callId, sessionId: 'session', turnId: '', taskId: '' };
  try {
    await policy.run(call, () => pay(callId));
    process.send({ at: 'done', callId });
  } catch (error) {
    process.send({
      at: 'blocked',
      callId,
      kind: error.verdict?.kind ?? error.kind ?? String(error),
      reason: error.message,
    });
  }
}

process.on('message', async ({ run: callId, answers }) => {
  if (callId !== undefined) void run(callId);
  for (const answer of answers ?? []) {
    approvals.decide('person', answer, Date.now()).then(({ ok, text, approval }) => {
      process.send({ at: 'answered', callId: answer.comment, ok, text, state: approval?.state, id: answer.decider.id });
    });
  }
});
process.on('disconnect', () => process.exit(0));
process.send({ at: 'ready' });
