import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Approval,
  type ApprovalCard,
  type ApprovalRequest,
  Approvals,
  argsDigest,
  type BaseChannel,
  CallbackServer,
  callDigest,
  canonicalJson,
  FileStore,
} from '@hermes-observer/policy';

const folders: string[] = [];
const ends: (() => Promise<void>)[] = [];

/** Ends all that was opened, last first. */
export async function endAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function atEnd(end: () => Promise<void> | void): void {
  ends.push(async () => end());
}

/** Real approvals in a file, with a real listener for callbacks. */
export interface Scene {
  readonly approvals: Approvals;
  readonly server: CallbackServer;
  /** What the channel was given, as it was sent. */
  readonly cards: ApprovalCard[];
  ask(args: Record<string, unknown>, terms?: Partial<ApprovalRequest>): Promise<Approval>;
  stateOf(approval: Approval): Promise<string | undefined>;
}

export async function openScene(channel: BaseChannel): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'policy-channels-'));
  folders.push(folder);
  const cards: ApprovalCard[] = [];
  const send = channel.send.bind(channel);
  channel.send = (card) => {
    cards.push(card);
    return send(card);
  };
  const store = await FileStore.open(join(folder, 'approvals'));
  const approvals = await Approvals.open({ store, channels: [channel] });
  atEnd(() => approvals.close());
  const server = await CallbackServer.open({ channels: [channel], decisions: approvals });
  atEnd(() => server.close());
  const ask = (args: Record<string, unknown>, terms: Partial<ApprovalRequest> = {}) =>
    approvals.request({ ...requestOf(args), ...terms });
  const stateOf = async ({ id }: Approval) => (await approvals.get(id))?.state;
  return { approvals, server, cards, ask, stateOf };
}

let calls = 0;

function requestOf(args: Record<string, unknown>): ApprovalRequest {
  calls++;
  const json = canonicalJson(args);
  const call = { tool: 'payments.send', agent: 'bookkeeper', sessionId: 's-1', callId: `call-${calls}` };
  return {
    ...call,
    args: json,
    digest: callDigest(call, json),
    argsDigest: argsDigest(call.tool, json),
    turnId: 't-1',
    taskId: '',
    user: 'ada',
    title: 'Over the limit',
    gates: [{ name: 'payments' }],
    approvers: [],
    requesterMayApprove: true,
    remember: null,
    channels: [],
    decisionId: `decision-${calls}`,
    expiresMs: 600_000,
  };
}

/** Bytes as they are, with the headers as they are. */
export async function post(
  url: string,
  { body, headers }: { body: Uint8Array; headers: Readonly<Record<string, unknown>> },
): Promise<{ status: number; text: string }> {
  const given = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  const response = await fetch(url, { method: 'POST', body: new Uint8Array(body), headers: Object.fromEntries(given) });
  return { status: response.status, text: await response.text() };
}
