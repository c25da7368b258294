import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { StandardWebhook } from '@hermes-observer/policy';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../listeners/memory-service.test-support.js';
import { replayed } from '../service/scene.test-support.js';
import { PolicyScene } from './policy-scene.test-support.js';

let scene: PolicyScene;
beforeEach(() => {
  scene = new PolicyScene();
});
afterEach(() => scene.end());

const call = (tool: string, args: object, more: object = {}) => ({
  session_id: 's1',
  turn_id: 't1',
  task_id: '',
  tool_call_id: 'c1',
  tool_name: tool,
  args,
  ...more,
});

const ASKS = `
channels: { command: , web: }
hooks:
  PreToolUse:
    - use: CommandGuard
      match: terminal
      with: { deny: [{ program: shutdown, reason: Not this machine. }] }
    - use: ApprovalGate
      match: pay
      with: { title: A payment }
`;

it('a rule denies with its reason, and lets others through with exactly what was asked for', async () => {
  await scene.start(ASKS);
  const client = scene.client();
  expect(await scene.ask(client, call('terminal', { command: 'sudo shutdown now' }))).toMatchObject({
    decision: 'block',
    kind: 'denied',
    reason: 'Not this machine.',
    policy: 'policy',
  });
  expect(await scene.ask(client, call('terminal', { command: 'ls' }))).toMatchObject({
    decision: 'allow',
    args: { command: 'ls' },
    by: ['policy'],
  });
  // No hook is about it: that this is the policy's word, and not that of nobody, is said as well.
  expect(await scene.ask(client, call('read', { a: [1] }))).toMatchObject({
    decision: 'allow',
    args: { a: [1] },
    by: ['policy'],
  });
});

it('what it reports goes through the journal: an event on the span of the tool, the same after a replay', async () => {
  await scene.start(ASKS);
  const [records, asks] = [scene.client(), scene.client()];
  scene.record(records, 'on_session_start', { session_id: 's1', platform: 'cli' });
  scene.record(records, 'pre_llm_call', { session_id: 's1', turn_id: 't1', platform: 'cli', user_message: 'pay' });
  scene.record(records, 'pre_tool_call', call('pay', { amount: 5 }));
  const answer = scene.ask(asks, call('pay', { amount: 5 }));
  await eventually(() => scene.said.find((said) => said.includes('policy approve')));
  expect(await scene.approve(asks, 'approve', 'It is due.')).toMatchObject({ ok: true });
  expect(await answer).toMatchObject({ decision: 'allow', args: { amount: 5 } });
  scene.record(records, 'post_tool_call', {
    ...call('pay', { amount: 5 }),
    status: 'ok',
    result: 'paid',
    duration_ms: 3,
  });
  scene.record(records, 'on_session_end', { session_id: 's1', turn_id: 't1', completed: true });
  const spans = await eventually2(async () => {
    const all = await scene.spans();
    return all.some(({ name }) => name.startsWith('invoke_agent')) ? all : undefined;
  });
  const tool = spans.find(({ name }) => name === 'execute_tool pay');
  expect(
    tool?.events
      .filter(({ name }) => name === 'hermes.policy.decision')
      .map(({ attributes }) => [
        attributes['hermes.policy.gate'],
        attributes['hermes.policy.outcome'],
        attributes['hermes.policy.reason'],
      ]),
  ).toEqual([
    ['ApprovalGate', 'ask', expect.stringContaining('pay')],
    ['policy:approval', 'allow', 'It is due.'],
  ]);
  const approval = spans.find(({ name }) => name.includes('approval'));
  expect(approval?.attributes).toMatchObject({ 'hermes.approval.choice': 'once' });
  expect(JSON.stringify(approval)).not.toContain('amount');
  const lines: string[] = [];
  for await (const { line } of scene.service?.lines(0, Number.MAX_SAFE_INTEGER) ?? []) lines.push(line.toString());
  expect(lines.filter((line) => line.includes('"producer":"policy-')).length).toBe(4);
  const again = replayed(lines, { closeAll: true, kind: 'file' });
  expect(again.length).toBe(spans.length);
});

const eventually2 = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
  for (const until = Date.now() + 10_000; ; ) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > until) throw new Error('waited for 10 s');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

it('a restart while somebody waits: the question is found again by who asks again, and its call runs once', async () => {
  await scene.start(ASKS);
  const before = scene.client();
  const asked = call('pay', { amount: 7 });
  void scene.ask(before, asked).catch(() => undefined);
  await eventually(() => scene.said.find((said) => said.includes('policy approve')));
  await scene.stop();
  await before.closed;
  expect(before.told.filter((told) => 'answer' in told || 'error' in told)).toEqual([]);
  await scene.start();
  const after = scene.client();
  const answer = scene.ask(after, asked);
  expect(await scene.approve(after)).toMatchObject({ ok: true });
  expect(await answer).toMatchObject({ decision: 'allow', args: { amount: 7 } });
  expect(await scene.ask(after, asked)).toMatchObject({ decision: 'block', kind: 'already_run' });
});

it('who waits as long as it said it would is told so, and gets the answer when it asks again', async () => {
  await scene.start(ASKS);
  const client = scene.client();
  const asked = call('pay', { amount: 8 });
  expect(await scene.ask(client, asked, { deadline: 600 })).toMatchObject({ decision: 'block', kind: 'pending' });
  expect(await scene.approve(client)).toMatchObject({ ok: true });
  expect(await scene.ask(client, asked)).toMatchObject({ decision: 'allow' });
});

it('who is gone while it waits finds the question again: it is not called off, and its yes is not used up', async () => {
  await scene.start(ASKS);
  const [first, second] = [scene.client(), scene.client()];
  const asked = call('pay', { amount: 9 });
  void scene.ask(first, asked).catch(() => undefined);
  await eventually(() => scene.said.find((said) => said.includes('policy approve')));
  first.socket.destroy();
  await first.closed;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await scene.approve(second)).toMatchObject({ ok: true });
  expect(await scene.ask(second, asked)).toMatchObject({ decision: 'allow' });
});

it('the same over HTTP', async () => {
  await scene.start(ASKS);
  const headers = { authorization: `Bearer ${scene.token}` };
  const body = JSON.stringify({
    id: 1,
    hook: 'pre_tool_call',
    payload: call('pay', { amount: 3 }),
    deadline_ms: 8_000,
  });
  const leaving = new AbortController();
  const left = fetch(`${scene.url}/v1/ask`, { method: 'POST', headers, body, signal: leaving.signal }).catch(
    () => undefined,
  );
  await eventually(() => scene.said.find((said) => said.includes('policy approve')));
  leaving.abort();
  await left;
  const client = scene.client();
  const answer = fetch(`${scene.url}/v1/ask`, { method: 'POST', headers, body });
  expect(await scene.approve(client)).toMatchObject({ ok: true });
  expect(await (await answer).json()).toMatchObject({ decision: 'allow', args: { amount: 3 } });
});

it('a faulty file starts nothing: not the socket, not HTTP, and the data folder stays free', async () => {
  const error: unknown = await scene
    .start('hooks:\n  PreToolUse:\n    - use: ReadOnlyGaurd\n')
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'HO_POLICY_CONFIG' });
  expect(existsSync(scene.socket)).toBe(false);
  await scene.start('hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n');
});

it('what is wrong only when it is opened starts nothing either', async () => {
  writeFileSync(join(scene.folder, 'in-the-way'), '');
  const yaml = 'store: { file: in-the-way }\nchannels: { command: }\nhooks:\n  PreToolUse:\n    - use: ApprovalGate\n';
  await expect(scene.start(yaml)).rejects.toMatchObject({ code: 'HO_POLICY_STORE' });
  expect(existsSync(scene.socket)).toBe(false);
  await scene.start('hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n');
});

it('a question that is here before the record of its call waits for it: the guard knows whose child asks', async () => {
  await scene.start('hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n      match: { childRole: researcher }\n');
  const [records, asks] = [scene.client(), scene.client()];
  scene.record(records, 'pre_llm_call', { session_id: 'parent', turn_id: 't0', platform: 'cli' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const asked = call('write_file', { path: 'a' }, { session_id: 'child', tool_call_id: 'cc' });
  const answer = scene.ask(asks, asked);
  await new Promise((resolve) => setTimeout(resolve, 60));
  scene.record(records, 'subagent_start', {
    parent_session_id: 'parent',
    child_session_id: 'child',
    child_subagent_id: 'sa-1',
    child_role: 'researcher',
  });
  scene.record(records, 'pre_tool_call', asked);
  expect(await answer).toMatchObject({ decision: 'block', kind: 'denied' });
});

it('a session that was refused stays so after a restart', async () => {
  writeFileSync(
    join(scene.folder, 'start.mjs'),
    'export default ({ sessionId }) => (sessionId === "bad" ? { allow: false, error: "not today" } : undefined);\n',
  );
  await scene.start('hooks:\n  SessionStart:\n    - module: ./start.mjs\n');
  const client = scene.client();
  scene.record(client, 'on_session_start', { session_id: 'bad', platform: 'cli' });
  expect(await scene.ask(client, call('read', {}, { session_id: 'bad' }))).toMatchObject({
    decision: 'block',
    reason: 'not today',
  });
  await scene.stop();
  await scene.start();
  const again = scene.client();
  expect(await scene.ask(again, call('read', {}, { session_id: 'bad' }))).toMatchObject({
    decision: 'block',
    reason: 'not today',
  });
  expect(await scene.ask(again, call('read', {}, { session_id: 'good' }))).toMatchObject({ decision: 'allow' });
});

it('results are asked about: what is too long for a model is shortened, whatever record came before', async () => {
  await scene.start('hooks:\n  PostToolUse:\n    - use: ResultTruncate\n      with: { maxCharacters: 500 }\n');
  const client = scene.client();
  const result = 'x'.repeat(4000);
  scene.record(client, 'post_tool_call', { ...call('read', {}), status: 'ok' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const answer = await scene.ask(client, { ...call('read', {}), result }, { hook: 'transform_tool_result' });
  expect(JSON.stringify(answer).length).toBeLessThan(1_000);
  expect(JSON.stringify(answer)).toContain('xxx');
});

it('/metrics tells of decisions, of waits, and of who waits', async () => {
  await scene.start(ASKS);
  const client = scene.client();
  await scene.ask(client, call('terminal', { command: 'shutdown' }));
  void scene.ask(client, call('pay', { amount: 1 })).catch(() => undefined);
  await eventually(() => scene.said.find((said) => said.includes('policy approve')));
  const text = await eventually2(async () => {
    const counts = await scene.counts();
    return counts.includes('hermes_observer_policy_approvals_pending 1') ? counts : undefined;
  });
  expect(text).toContain('hermes_observer_policy_approvals_waiting 1');
  expect(text).toContain('hermes_observer_policy_hook_decisions_total{hook="CommandGuard"} 1');
  expect(text).toContain('hermes_observer_policy_calls_total{verdict="denied"} 1');
  expect(text).toMatch(/hermes_observer_policy_decisions_total\{outcome="deny",kind="denied"\} 1/);
  expect(text).toMatch(/hermes_observer_policy_decisions_total\{outcome="ask",kind="asked"\} 1/);
  await scene.approve(client);
  await eventually2(async () =>
    (await scene.counts()).includes('policy_approval_answers_total{choice="once"} 1') ? true : undefined,
  );
});

it('pages are for who may read the viewer, and deciding takes the code of the request, from a form of these pages', async () => {
  await scene.start(ASKS);
  const client = scene.client();
  const answer = scene.ask(client, call('pay', { amount: 11 }));
  await eventually(() => scene.said.find((said) => said.includes('policy approve')));
  const page = `${scene.url}/approvals`;
  expect((await fetch(page)).status).toBe(401);
  const asked = await fetch(page, { headers: { accept: 'text/html' } });
  expect([asked.status, await asked.text()]).toEqual([401, expect.stringContaining('hermes-observer view')]);
  const opened = await fetch(`${page}?token=${scene.token}`, { redirect: 'manual' });
  expect(opened.status).toBe(303);
  const cookie = (opened.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const waiting = async () => (await fetch(`${scene.url}/api/approvals`, { headers: { cookie } })).json();
  expect((await fetch(`${scene.url}/api/approvals`)).status).toBe(401);
  expect(await waiting()).toEqual({ path: '/approvals', waiting: 1 });
  const list = await (await fetch(page, { headers: { cookie } })).text();
  const id = /href="\/approvals\/([\w-]+)"/.exec(list)?.[1] ?? '';
  const shown = await fetch(`${page}/${id}`, { headers: { cookie } });
  expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'");
  const html = await shown.text();
  expect(html).toContain('&#34;amount&#34;: 11');
  const code = /name="token" value="([\w-]+)"/.exec(html)?.[1] ?? '';
  expect(code.length).toBeGreaterThan(20);
  const post = (token: string, headers: Record<string, string>) =>
    fetch(`${page}/${id}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ token, choice: 'approve' }),
    });
  const origin = scene.url;
  expect((await post(code, { cookie })).status).toBe(401);
  expect((await post(code, { origin })).status).toBe(401);
  expect((await post(code, { cookie, origin: 'https://evil.example' })).status).toBe(403);
  expect((await post('wrong'.repeat(6), { cookie, origin })).status).toBe(409);
  expect((await post(code, { cookie, origin })).status).toBe(303);
  expect(await waiting()).toEqual({ path: '/approvals', waiting: 0 });
  expect(await answer).toMatchObject({ decision: 'allow' });
});

it('callbacks need no bearer token and a signature, and one answers once', async () => {
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  const received: { data: Record<string, string> }[] = [];
  const server = createServer(async (request, response) => {
    received.push(JSON.parse(await text(request)) as (typeof received)[0]);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await scene.start(
    `channels:\n  ops: { kind: webhook, url: '${url}', secret: '${secret}' }\nhooks:\n  PreToolUse:\n    - use: ApprovalGate\n      with: { approvers: ['ops:anna'] }\n`,
  );
  const client = scene.client();
  const answer = scene.ask(client, call('pay', { amount: 12 }));
  const { data } = await eventually(() => received[0]);
  const signer = new StandardWebhook('test', [secret]);
  const post = (change: object, headers?: Record<string, string>) => {
    const body = JSON.stringify({
      type: 'approval.answer',
      data: {
        approval_id: data.approval_id,
        token: data.token,
        message_id: data.message_id,
        approver: 'anna',
        choice: 'approve',
        ...change,
      },
    });
    const signed = headers ?? signer.sign(StandardWebhook.newId(), body, Date.now());
    return fetch(`${scene.url}/approvals/callbacks/ops`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed },
      body,
    });
  };
  expect((await post({}, {})).status).toBe(401);
  expect((await post({ approver: 'eve' })).status).toBe(409);
  expect((await post({ token: 'x'.repeat(22) })).status).toBe(409);
  expect((await fetch(`${scene.url}/approvals/callbacks/nobody`, { method: 'POST' })).status).toBe(404);
  expect((await post({})).status).toBe(200);
  expect((await post({})).status).toBe(409);
  expect(await answer).toMatchObject({ decision: 'allow' });
  expect(await scene.counts()).toContain('policy_refused_callbacks_total{channel="ops"} 1');
  // Nobody may decide this by a command.
  expect(await scene.operate(client, { action: 'pending' })).toMatchObject({ pending: [] });
  server.close();
});

it('a command may decide only what is for a command, and only what was looked at', async () => {
  await scene.start(ASKS.replace('{ command: , web: }', '{ web: }'));
  const client = scene.client();
  void scene.ask(client, call('pay', { amount: 1 })).catch(() => undefined);
  const [first] = await eventually2(async () => {
    const { pending } = (await scene.operate(client, { action: 'pending' })) as {
      pending: { id: string; digest: string }[];
    };
    return pending.length > 0 ? pending : undefined;
  });
  const decide = (more: object) =>
    scene.operate(client, { action: 'decide', approval: first?.id, digest: first?.digest, choice: 'approve', ...more });
  expect(await decide({})).toMatchObject({
    ok: false,
    text: expect.stringContaining('not to be answered by a command'),
  });
  await scene.stop();
  await scene.start(ASKS);
  const again = scene.client();
  void scene.ask(again, call('pay', { amount: 2 }, { tool_call_id: 'c2' })).catch(() => undefined);
  const second = await eventually2(async () => {
    const { pending } = (await scene.operate(again, { action: 'pending' })) as {
      pending: { id: string; digest: string }[];
    };
    return pending[1];
  });
  const wrong = await scene.operate(again, {
    action: 'decide',
    approval: second.id,
    digest: 'a'.repeat(64),
    choice: 'approve',
  });
  expect(wrong).toMatchObject({ ok: false, text: expect.stringContaining('digest') });
});
