import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PolicyHook, StandardWebhook, WebhookChannel } from '@hermes-observer/policy';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Got, LocalServer } from '../../../packages/policy/src/channels/scene.test-support.js';
import type { SpanFacts } from '../../jaeger/span-facts.js';
import { waitFor } from '../../jaeger/wait-for.js';
import { Agent, sandboxFault } from '../../live/agent.js';
import { RELEASES } from '../../live/scenarios.js';
import { PolicyService } from './policy-service.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const fault = await sandboxFault();
if (fault !== undefined) console.log(`skipped: ${fault}`);

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function folder(): string {
  // Short: the path of a socket has room for 107 bytes.
  const shared = mkdtempSync(join(tmpdir(), 'pol-'));
  ends.push(() => rmSync(shared, { recursive: true, force: true }));
  return shared;
}

async function serve(shared: string, hooks: readonly PolicyHook[], channel?: WebhookChannel): Promise<PolicyService> {
  const service = await PolicyService.start(shared, hooks, channel);
  ends.push(() => service.close());
  return service;
}

const rule = (execute: PolicyHook['execute'], more: Partial<PolicyHook> = {}): PolicyHook => ({
  name: 'terminal-rule',
  event: 'PreToolUse',
  matcher: { tool: 'terminal' },
  execute,
  ...more,
});

/** What the model got to read of its calls, in their order. */
function results(shared: string, name: string): string[] {
  const lines = readFileSync(join(shared, 'logs', `${name}.mock.log`), 'utf8')
    .trim()
    .split('\n');
  const all = lines.map((line) => (JSON.parse(line) as { results?: Record<string, string> }).results ?? {});
  return Object.values(Object.assign({}, ...all) as Record<string, string>);
}

const files = (shared: string, name: string) => readFileSync(join(shared, `${name}.files`), 'utf8').split('\n');
const tools = (spans: readonly SpanFacts[], tool = 'terminal') =>
  spans.filter(({ name }) => name === `execute_tool ${tool}`);
const eventsOf = (span: SpanFacts | undefined) => JSON.stringify(span?.events ?? []);

describe.skipIf(fault !== undefined).each(RELEASES)('policy in a Hermes Agent $version', (release) => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await Agent.install(release, process.env.E2E_PROGRAMS ?? '');
  }, 600_000);

  const run = (shared: string, name: string, prompt: string, ...pairs: string[]) =>
    agent.runScript('policy_run.py', shared, [name, prompt, ...pairs]);

  async function spansOf(service: PolicyService): Promise<SpanFacts[]> {
    return waitFor('no trace', async () => {
      const spans = await service.spans();
      return spans.some(({ parentSpanId }) => parentSpanId === '') ? spans : undefined;
    });
  }

  it('a blocked call: the model reads why, nothing runs, and the span has the gate', async () => {
    const shared = folder();
    const service = await serve(shared, [rule(() => ({ allow: false, error: 'not on a Friday' }))]);
    await run(shared, 'blocked', '[[touch-twice]] Make two files.');
    const read = results(shared, 'blocked');
    expect(read).toHaveLength(2);
    for (const one of read) expect(one).toContain('Blocked by policy (denied): not on a Friday');
    expect(files(shared, 'blocked')).not.toContain('first-file');
    const [first] = tools(await spansOf(service));
    expect(first?.attributes).toMatchObject({ 'hermes.tool.status': '"blocked"' });
    expect(eventsOf(first)).toContain('terminal-rule');
  }, 240_000);

  it('a rewritten call: what runs is what was decided, a removed argument too', async () => {
    const shared = folder();
    const service = await serve(shared, [
      rule(() => ({ modifiedArgs: { command: 'echo rewritten' } }), { modifies: true }),
    ]);
    await run(shared, 'rewritten', '[[touch-twice]] Make two files.', 'HERMES_OBSERVER_CAPTURE=redacted');
    expect(results(shared, 'rewritten').every((one) => one.includes('rewritten'))).toBe(true);
    expect(files(shared, 'rewritten')).not.toContain('first-file');
    const recorded = readFileSync(join(shared, 'rewritten.ndjson'), 'utf8').trim().split('\n');
    const ran = recorded
      .map((line) => JSON.parse(line) as { hook: string; payload: { args?: unknown } })
      .filter(({ hook }) => hook === 'post_tool_call')
      .map(({ payload }) => payload.args);
    expect(ran).toEqual([{ command: 'echo rewritten' }, { command: 'echo rewritten' }]);
    const [first] = tools(await spansOf(service));
    expect(String(first?.attributes['gen_ai.tool.call.arguments'])).toContain('echo rewritten');
  }, 240_000);

  it('a result that policy changes: the model reads that one', async () => {
    const shared = folder();
    const masked = rule(({ result }) => ({ modifiedResult: String(result).replaceAll('one', '[masked]') }), {
      event: 'PostToolUse',
    });
    await serve(shared, [masked]);
    await run(shared, 'result', '[[touch-twice]] Make two files.');
    const [first, second] = results(shared, 'result');
    expect(first).toContain('[masked]');
    expect(first).not.toContain('one');
    expect(second).toContain('two');
  }, 240_000);

  it('an approved call: the agent waits for a signed answer, and the wait is a span', async () => {
    const shared = folder();
    const receiver = new LocalServer(() => ({ status: 204, body: '' }));
    const channel = new WebhookChannel({ url: await receiver.open(), secret: SECRET });
    ends.push(() => receiver.close());
    const service = await serve(
      shared,
      [rule(() => ({ ask: { title: 'A file', approvers: ['webhook:ada'] } }))],
      channel,
    );
    const url = service.callbacks?.urlOf('webhook') as string;
    const running = run(shared, 'approved', '[[touch-twice]] Make two files.');
    const answer = async (at: number, choice: 'approve' | 'reject') => {
      await waitFor('nobody is asked', async () => (cards(receiver).length > at ? true : undefined), 60_000);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const { approval_id, token, message_id } = cards(receiver)[at] as Record<string, string>;
      const data = { approval_id, token, message_id, choice, approver: 'ada' };
      const body = JSON.stringify({ type: 'approval.answer', data });
      const headers = new StandardWebhook('webhook', [SECRET]).sign(`msg_${at}`, body, Date.now());
      const answered = await fetch(url, { method: 'POST', body, headers: { ...headers } });
      expect(answered.status, await answered.text()).toBe(200);
    };
    await answer(0, 'approve');
    await answer(1, 'reject');
    await running;
    const [first, second] = results(shared, 'approved');
    expect(first).toContain('one');
    expect(second).toContain('Blocked by policy (denied)');
    expect(files(shared, 'approved')).toContain('first-file');
    expect(files(shared, 'approved')).not.toContain('second-file');
    const spans = await spansOf(service);
    const [ran] = tools(spans);
    const waits = spans.filter(({ name }) => name.includes('approval'));
    expect(waits).toHaveLength(2);
    expect(waits[0]?.parentSpanId).toBe(ran?.spanId);
    expect(waits.every(({ start, end }) => end - start > 900_000_000n)).toBe(true);
    await expect
      .poll(async () => (await service.approvals?.get(cards(receiver)[0]?.approval_id as string))?.state)
      .toBe('executed');
  }, 240_000);

  it.each(['block', 'allow'] as const)(
    'the service is gone in the middle of a turn: %s, as set, and the trace shows it',
    async (setting) => {
      const shared = folder();
      let isFirst = true;
      const service = await serve(shared, [
        rule(() => {
          if (isFirst) setTimeout(() => void service.vanish(), 40);
          isFirst = false;
          return undefined;
        }),
      ]);
      await run(shared, setting, '[[touch-twice]] Make two files.', `HERMES_OBSERVER_POLICY_UNREACHABLE=${setting}`);
      const [, second] = results(shared, setting);
      if (setting === 'block') expect(second).toContain('policy could not be asked');
      else expect(second).toContain('two');
      expect(files(shared, setting).includes('second-file')).toBe(setting === 'allow');
      await service.listen();
      const spans = await waitFor('the spool is not taken over', async () => {
        const all = await service.spans();
        return tools(all).length === 2 ? all : undefined;
      });
      expect(eventsOf(tools(spans)[1])).toContain('hermes-observer-forwarder');
    },
    240_000,
  );

  it('calls of children and of scripts are asked about, with whose they are', async () => {
    const shared = folder();
    const service = await serve(shared, [rule(() => ({ allow: false, error: 'no commands' }))]);
    await run(shared, 'child', '[[delegate-one]] Use a helper.');
    await run(shared, 'script', '[[execute-code]] Run the small script.');
    const own = service.asked.find(({ tool }) => tool === 'delegate_task')?.payload;
    const child = service.asked.find(
      ({ payload }) => Array.isArray(payload.child_roles) && payload.child_roles.length > 0,
    );
    expect(child?.tool, JSON.stringify(service.asked)).toBe('terminal');
    expect(child?.payload.parent_session_id).toBe(own?.session_id);
    const nested = service.asked.filter(({ payload }) => payload.session_id === undefined);
    expect(nested.map(({ tool }) => tool).sort()).toEqual(['read_file', 'terminal']);
    expect(results(shared, 'child').join()).not.toContain('3 notes.txt');
    expect(results(shared, 'script').join()).not.toContain('nested"');
  }, 300_000);
});

function cards(receiver: LocalServer): Record<string, string>[] {
  return receiver.got
    .map(({ text }: Got) => JSON.parse(text) as { type: string; data: Record<string, string> })
    .filter(({ data }) => data.token !== undefined)
    .map(({ data }) => data);
}
