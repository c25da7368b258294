// What it costs that 10,000 people have not answered yet: heap and timers, with the file store. Needs --expose-gc, so it runs in a
// process of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Approvals, argsDigest, callDigest, canonicalJson, FileStore } from '@hermes-observer/policy';

const PENDING = Number(process.argv[2] ?? 10_000);

function heapUsed() {
  for (let i = 0; i < 4; i++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
/** Not a slice of a text that is kept anyway. */
const flat = (text) => Buffer.from(text).toString();

let messages = 0;
const channel = {
  name: 'slack',
  send: async () => ({ tenant: flat('T024BE7LD'), chat: flat('C024BE91L'), message: flat(`1764450000.${++messages}`) }),
  update: async () => undefined,
};

function requestOf(n) {
  const call = {
    tool: 'transfer_money',
    agent: 'hermes',
    sessionId: flat(`session_${n % 500}`),
    callId: flat(`call_${n}`),
  };
  const args = canonicalJson({
    amount: 120.5 + n,
    currency: 'EUR',
    to: `DE0012345678${n}`,
    memo: 'an invoice of last month',
  });
  return {
    ...call,
    args,
    digest: callDigest(call, args),
    argsDigest: argsDigest(call.tool, args),
    turnId: flat(`${call.sessionId}:1`),
    taskId: call.sessionId,
    user: flat(`user_${n % 100}`),
    title: flat(`Transfer ${n} EUR`),
    gates: [{ name: 'spend-limit', version: '1' }],
    approvers: [],
    requesterMayApprove: true,
    remember: null,
    channels: [],
    decisionId: flat(`decision_${n}`),
    expiresMs: 3_600_000 + n,
  };
}

const folder = mkdtempSync(join(tmpdir(), 'approvals-'));
const approvals = await Approvals.open({ store: await FileStore.open(folder), channels: [channel] });
// Once before, so that what is made once is there.
const answers = [approvals.answered((await approvals.request(requestOf(-1))).id, undefined)];
const before = { heap: heapUsed(), timers: timers() };
const began = performance.now();
for (let n = 0; n < PENDING; n += 250) {
  const some = await Promise.all(Array.from({ length: 250 }, (_, i) => approvals.request(requestOf(n + i))));
  for (const { id } of some) answers.push(approvals.answered(id, undefined));
}
const seconds = (performance.now() - began) / 1000;
await new Promise((resolve) => setTimeout(resolve, 200));
const bytes = (heapUsed() - before.heap) / PENDING;
const waiting = approvals.counts.waiting;
const moreTimers = timers() - before.timers;
for (const answer of answers) answer.catch(() => undefined);
await approvals.close();
const reopening = performance.now();
const again = await FileStore.open(folder);
const kept = (await again.list({ states: ['pending'], limit: PENDING * 2 })).length;
const openMs = performance.now() - reopening;
await again.close();
rmSync(folder, { recursive: true });
if (kept !== PENDING + 1) throw new Error(`${kept} of ${PENDING + 1} are kept`);
const row = { pending: waiting - 1, bytes: Math.round(bytes), timers: moreTimers };
process.stdout.write(JSON.stringify([{ ...row, requestMicros: (seconds / PENDING) * 1e6, openMs }]));
