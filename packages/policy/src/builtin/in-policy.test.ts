import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Approvals } from '../approvals/approvals.js';
import type { ToolCall } from '../call/tool-call.js';
import type { BaseChannel } from '../channels/base-channel.js';
import { createPolicy } from '../engine/policy.js';
import type { PolicyHook } from '../hooks/hook.js';
import { commandHook } from '../scripts/command-hook.js';
import { FileStore } from '../stores/file-store.js';
import { AuditLog } from './audit/audit-log.js';
import { verifyAudit } from './audit/verify-audit.js';
import { CommandGuard } from './command/command-guard.js';
import { RateLimit } from './limits/rate-limit.js';
import { SpendLimit } from './limits/spend-limit.js';
import { PathGuard } from './path/path-guard.js';
import { ResultTruncate } from './truncate/result-truncate.js';

const folder = () => mkdtempSync(join(tmpdir(), 'in-policy-'));
let count = 0;
const callOf = (more: Partial<ToolCall> = {}): ToolCall => ({
  tool: 'pay',
  args: {},
  callId: `c${++count}`,
  sessionId: 's',
  turnId: '',
  taskId: '',
  ...more,
});
const policyOf = (...hooks: PolicyHook[]) => createPolicy({ hooks });

describe('guards in a policy', () => {
  it('judge what would run, also when another rule changes it behind them', async () => {
    const guard = new CommandGuard({ deny: ['rm'], shell: 'bash', priority: 1 });
    const changes: PolicyHook = {
      name: 'changes',
      event: 'PreToolUse',
      priority: 99,
      execute: ({ args }) => (args.command === 'ls' ? { modifiedArgs: { command: 'rm -rf /' } } : undefined),
    };
    const policy = policyOf(guard, changes);
    expect(await policy.decide(callOf({ args: { command: 'ls' } }))).toMatchObject({
      decision: 'block',
      kind: 'denied',
      by: ['CommandGuard'],
    });
    expect(await policy.decide(callOf({ args: { command: 'pwd' } }))).toMatchObject({ decision: 'allow' });
  });

  it('count a call once, though the rules are asked about it again', async () => {
    const limit = await RateLimit.open({ calls: 2 });
    const spend = await SpendLimit.open({ amount: 'amount', perDay: { blockAbove: 100 }, folder: 'memory' });
    const adds: PolicyHook = {
      name: 'adds',
      event: 'PreToolUse',
      execute: ({ args }) => (args.note === undefined ? { modifiedArgs: { ...args, note: 'x' } } : undefined),
    };
    const policy = policyOf(limit, spend, adds);
    const decisions = [];
    for (let i = 0; i < 3; i++) decisions.push((await policy.decide(callOf({ args: { amount: 50 } }))).decision);
    expect(decisions).toEqual(['allow', 'allow', 'block']);
  });

  it('do not count what another rule denies', async () => {
    const limit = await RateLimit.open({ calls: 1 });
    const no: PolicyHook = {
      name: 'no',
      event: 'PreToolUse',
      matcher: { args: { bad: true } },
      execute: () => ({ allow: false, error: 'no' }),
    };
    const policy = policyOf(limit, no);
    for (let i = 0; i < 5; i++)
      expect(await policy.decide(callOf({ args: { bad: true } }))).toMatchObject({ by: ['no'] });
    expect(await policy.decide(callOf())).toMatchObject({ decision: 'allow' });
  });

  it('do not count what a person refused, or did not answer, also after a restart', async () => {
    const [store, sums] = [mkdtempSync(join(tmpdir(), 'asked-')), mkdtempSync(join(tmpdir(), 'sums-'))];
    const rates = mkdtempSync(join(tmpdir(), 'rates-'));
    const open = async () => {
      const approvals = await Approvals.open({ store: await FileStore.open(store), channels: [silent] });
      const hooks = [
        await SpendLimit.open({ amount: 'amount', perDay: { askAbove: 10, blockAbove: 100 }, folder: sums }),
        await RateLimit.open({ calls: 3, perMs: 3_600_000, folder: rates }),
      ];
      return { approvals, policy: createPolicy({ hooks, approvals }) };
    };
    const silent: BaseChannel = {
      name: 'silent',
      send: async () => ({ tenant: '', chat: '', message: 'm' }),
      update: async () => undefined,
    };
    let { approvals, policy } = await open();
    const answer = async (choice: 'approve' | 'reject') => {
      const [asked] = await vi.waitUntil(async () => {
        const list = await approvals.pending();
        return list.length > 0 ? list : undefined;
      });
      await approvals.decideHere(asked?.id ?? '', { choice, decider: { channel: 'cli', id: 'root' } });
    };
    for (let i = 0; i < 4; i++) {
      const decided = policy.decide(callOf({ args: { amount: 90 } }));
      await answer('reject');
      expect(await decided).toMatchObject({ kind: 'denied' });
    }
    const late = callOf({ args: { amount: 90 } });
    expect(await policy.decide(late, { deadlineMs: 5 })).toMatchObject({ kind: 'pending' });
    await policy.close();
    await approvals.close();
    ({ approvals, policy } = await open());
    await answer('approve');
    expect(await policy.decide(late)).toMatchObject({ decision: 'allow' });
    expect(await policy.decide(callOf({ args: { amount: 90 } }))).toMatchObject({ by: ['SpendLimit'] });
    await policy.close();
    await approvals.close();
  });

  it('hold for children of an agent, in evaluation too', async () => {
    const hooks = [new PathGuard({ paths: 'path', allow: ['/nowhere'], cwd: '/' })];
    const policy = createPolicy({ hooks, evaluation: { asks: 'deny' } });
    for (const childRoles of [[], ['researcher'], ['a', 'b']]) {
      expect(await policy.decide(callOf({ args: { path: '/etc/passwd' }, childRoles }))).toMatchObject({
        decision: 'block',
      });
    }
  });
});

describe('an audit log in a policy', () => {
  it('has the decision on disk before the call runs, and the end behind it', async () => {
    const at = join(folder(), 'log');
    const audit = await AuditLog.open({ folder: at });
    const policy = policyOf(...audit.hooks, new ResultTruncate({ maxCharacters: 200 }));
    const file = join(at, 'audit.000001.ndjson');
    const result = await policy.run(callOf(), () => {
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ kind: 'decision', outcome: 'allow', tool: 'pay' });
      return 'x'.repeat(1000);
    });
    expect(result.length).toBeLessThanOrEqual(200);
    expect(JSON.parse(readFileSync(file, 'utf8').split('\n')[1] ?? '')).toMatchObject({ kind: 'result', status: 'ok' });
    await audit.close();
    expect((await verifyAudit(at)).ok).toBe(true);
  });

  it('has the answer of a person on disk before the call runs, and calls that were given up', async () => {
    const at = join(folder(), 'log');
    const audit = await AuditLog.open({ folder: at, content: 'redacted' });
    const approvals = await Approvals.open({
      store: await FileStore.open(folder()),
      channels: [
        { name: 'any', send: async () => ({ tenant: '', chat: '', message: '' }), update: async () => undefined },
      ],
    });
    const gate: PolicyHook = { name: 'gate', event: 'PreToolUse', execute: () => ({ ask: {} }) };
    const policy = createPolicy({ hooks: [...audit.hooks, gate], approvals });
    const written = () =>
      readFileSync(join(at, 'audit.000001.ndjson'), 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const given = callOf();
    expect(await policy.decide(given, { deadlineMs: 5 })).toMatchObject({ kind: 'pending' });
    const [asked] = await approvals.pending();
    const decider = { channel: 'slack', id: 'U1' };
    await approvals.decideHere(asked?.id ?? '', { choice: 'approve', decider });
    await policy.run(given, () => {
      expect(written().map(({ kind, outcome, answer_kind }) => [kind, outcome, answer_kind])).toEqual([
        ['decision', 'ask', undefined],
        ['answer', 'deny', 'pending'],
        ['decision', 'ask', undefined],
        ['answer', 'allow', 'allowed'],
      ]);
      expect(written().at(-1)).toMatchObject({ approver: 'slack:U1', approval_id: asked?.id, tool: 'pay' });
      expect(written().at(-1)?.digest).toBe(written().at(-2)?.digest);
    });
    const refused = policy.decide(callOf());
    const other = await vi.waitUntil(async () => (await approvals.pending())[0]);
    const comment = 'not with key AKIAIOSFODNN7EXAMPLE';
    await approvals.decideHere(other.id, { choice: 'reject', decider, comment });
    await refused;
    expect(written().at(-1)).toMatchObject({ kind: 'answer', outcome: 'deny', answer_kind: 'denied' });
    expect(JSON.stringify(written())).not.toContain('AKIAIOSFODNN7EXAMPLE');
    await policy.close();
    expect(await verifyAudit(at)).toMatchObject({ ok: true, entries: 7 });
    await approvals.close();
  });

  it('notes what was denied, and blocks what it cannot note', async () => {
    const at = join(folder(), 'log');
    const audit = await AuditLog.open({ folder: at });
    const policy = policyOf(...audit.hooks, new CommandGuard({ deny: ['rm'], shell: 'bash' }));
    await policy.decide(callOf({ args: { command: 'rm x' } }));
    expect(JSON.parse(readFileSync(join(at, 'audit.000001.ndjson'), 'utf8'))).toMatchObject({
      outcome: 'deny',
      block_kind: 'denied',
      by: ['CommandGuard'],
    });
    rmSync(at, { recursive: true });
    expect(await policy.decide(callOf({ args: { command: 'ls' } }))).toMatchObject({
      decision: 'block',
      kind: 'hook_error',
    });
    await audit.close();
  });
});

describe('scripts in a policy', () => {
  const script = async (text: string, more: object = {}) =>
    policyOf(await commandHook({ name: 'script', event: 'PreToolUse', command: ['/bin/sh', '-c', text], ...more }));

  it.each<[string, string, object]>([
    ['no objection', 'exit 0', { decision: 'allow' }],
    ['a deny', 'echo no >&2; exit 2', { decision: 'block', kind: 'denied' }],
    ['a crash', 'exit 1', { decision: 'block', kind: 'hook_error' }],
    ['a signal', 'kill -9 $$', { decision: 'block', kind: 'hook_error' }],
    ['garbage', 'echo ok', { decision: 'block', kind: 'hook_error' }],
    ['a syntax error, which ends with 2 as a deny does', 'if', { decision: 'block', kind: 'hook_error' }],
  ])('%s', async (_name, text, verdict) => {
    expect(await (await script(text)).decide(callOf())).toMatchObject(verdict);
  });

  it('is late', async () => {
    const policy = await script('sleep 5', { timeoutMs: 100 });
    expect(await policy.decide(callOf())).toMatchObject({
      decision: 'block',
      kind: 'hook_timeout',
    });
  });

  it('whose file the agent edits blocks from then on', async () => {
    const at = folder();
    const path = join(at, 'guard.sh');
    writeFileSync(path, '#!/bin/sh\nexit 2\n');
    chmodSync(path, 0o755);
    const { PinFile } = await import('../scripts/pin-file.js');
    const pins = new PinFile(join(at, 'pins.json'));
    const policy = policyOf(await commandHook({ name: 'guard', event: 'PreToolUse', command: [path], pins }));
    expect(await policy.decide(callOf())).toMatchObject({ decision: 'block', kind: 'denied' });
    writeFileSync(path, '#!/bin/sh\nexit 0\n');
    const verdict = await policy.decide(callOf());
    expect(verdict).toMatchObject({ decision: 'block' });
    expect(verdict).not.toMatchObject({ kind: 'denied' });
  });
});
