import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Conclusion, HookContext, PolicyHook } from '../../hooks/hook.js';
import { registerHook } from '../../hooks/registered-hook.js';
import { contextOf } from '../hook-context.test-support.js';
import { makeProgram, runProgram } from '../program.test-support.js';
import { AuditLog, type AuditLogOptions } from './audit-log.js';
import { verifyAudit } from './verify-audit.js';

const allowed: Conclusion = { outcome: 'allow', kind: undefined, reason: undefined, by: [] };
const folderOf = () => join(mkdtempSync(join(tmpdir(), 'audit-')), 'log');
const lines = (folder: string, file = 'audit.000001.ndjson') =>
  readFileSync(join(folder, file), 'utf8').split('\n').slice(0, -1);

/** Another process: writes entries, and says after each how many counted. */
let program: string;
beforeAll(async () => {
  program = await makeProgram(
    new URL('audit-log.ts', import.meta.url),
    `const [folder, mode] = process.argv.slice(2);
     try {
       const log = await module.AuditLog.open({ folder, maxFileBytes: 20_000, onWarning: () => undefined });
       const context = { tool: 't', callId: '', sessionId: '', turnId: '', taskId: '', agent: '', user: '', platform: '', childRoles: [], decisionId: 'd', digest: 'x'.repeat(64) };
       const conclusion = { outcome: 'allow', by: [] };
       for (let n = 1; n === 1 || mode === 'forever'; n++) {
         await log.hooks[0].concluded(context, conclusion);
         process.stdout.write(n + '\\n');
       }
       await log.close();
     } catch (error) {
       process.stdout.write(error.code + ' ' + error.message + '\\n');
     }`,
  );
});

class Opened {
  readonly log: AuditLog;
  constructor(log: AuditLog) {
    this.log = log;
  }
  get pre(): PolicyHook {
    return this.log.hooks[0] as PolicyHook;
  }
  get post(): PolicyHook {
    return this.log.hooks[1] as PolicyHook;
  }
  decide(more: Partial<HookContext> = {}, conclusion = allowed): Promise<void> {
    return Promise.resolve(this.pre.concluded?.(contextOf(more), conclusion));
  }
}

const open = async (folder: string, more: Partial<AuditLogOptions> = {}) =>
  new Opened(await AuditLog.open({ folder, onWarning: () => undefined, ...more }));

/** A log of so many decisions, closed. */
async function written(count: number, more: Partial<AuditLogOptions> = {}): Promise<string> {
  const folder = folderOf();
  const opened = await open(folder, more);
  for (let i = 1; i <= count; i++) await opened.decide({ callId: `call-${i}` });
  await opened.log.close();
  return folder;
}

describe('AuditLog', () => {
  it('writes decisions before calls and results behind them, each on disk when it resolves', async () => {
    const folder = folderOf();
    const opened = await open(folder);
    for (const hook of opened.log.hooks) registerHook(hook, 1);
    expect(await opened.pre.execute(contextOf())).toBeUndefined();
    await opened.decide({ tool: 'pay' }, { outcome: 'deny', kind: 'denied', reason: 'no', by: ['Limit'] });
    expect(lines(folder)).toHaveLength(1);
    await opened.post.execute(contextOf({ event: 'PostToolUse', result: { ok: true }, status: 'ok', durationMs: 5 }));
    const [first, second] = lines(folder).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(first).toMatchObject({
      n: 1,
      kind: 'decision',
      tool: 'pay',
      outcome: 'deny',
      block_kind: 'denied',
      by: ['Limit'],
      decision_id: 'decision-1',
    });
    expect(second).toMatchObject({ n: 2, kind: 'result', status: 'ok', duration_ms: 5, prev: first?.hash });
    await opened.log.close();
    expect(await verifyAudit(folder)).toMatchObject({
      ok: true,
      entries: 2,
      files: 1,
      last: { n: 2, hash: second?.hash },
    });
    expect([statSync(folder).mode & 0o777, statSync(join(folder, 'audit.000001.ndjson')).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
  });

  it('goes on where it was, over files that rotate', async () => {
    const folder = folderOf();
    for (let round = 0; round < 3; round++) {
      const opened = await open(folder, { maxFileBytes: 2000 });
      await Promise.all(Array.from({ length: 30 }, () => opened.decide()));
      await opened.decide();
      await opened.log.close();
    }
    const result = await verifyAudit(folder);
    expect(result).toMatchObject({ ok: true, entries: 93, problems: [] });
    expect(result.files).toBeGreaterThan(3);
  });

  it('keeps secrets out: no content by default, and none of them where content is asked for', async () => {
    const args = { token: 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz', to: 'bob', note: 'password=hunter2' };
    const secret = /hunter2|abcdefghijklmnop/;
    const denied: Conclusion = { outcome: 'deny', kind: 'denied', reason: 'password=hunter2', by: ['x'] };
    const plain = folderOf();
    const opened = await open(plain);
    await opened.decide({ args }, denied);
    await opened.post.execute(contextOf({ event: 'PostToolUse', result: 'password=hunter2' }));
    await opened.log.close();
    expect(lines(plain).join('')).not.toMatch(/hunter2|abcdefgh|bob|password/);
    const shown = folderOf();
    const redacted = await open(shown, { content: 'redacted' });
    await redacted.decide({ args }, denied);
    await redacted.post.execute(contextOf({ event: 'PostToolUse', result: 'password=hunter2', args }));
    await redacted.log.close();
    expect(lines(shown).join('')).toContain('bob');
    expect(lines(shown).join('')).not.toMatch(secret);
  });

  it('writes one line whatever is in it', async () => {
    const folder = folderOf();
    const opened = await open(folder, { content: 'redacted' });
    await opened.decide({
      tool: 'a\nb","hash":"',
      callId: '\u2028\ud800',
      args: { x: 'y'.repeat(500_000), '","prev":"': 1n },
    });
    await opened.log.close();
    expect(lines(folder)).toHaveLength(1);
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, entries: 1 });
  });

  it('blocks calls that it cannot write down', async () => {
    const folder = folderOf();
    const opened = await open(folder);
    await opened.decide();
    rmSync(folder, { recursive: true });
    await expect(opened.decide()).rejects.toMatchObject({ code: 'HO_POLICY_AUDIT' });
    await opened.log.close();
    await expect(opened.decide()).rejects.toThrow('is closed');
  });

  it.each<[string, (file: string) => void]>([
    ['appends to it', (file) => appendFileSync(file, '{}\n')],
    ['cuts it', (file) => truncateSync(file, 10)],
    [
      'puts another in its place',
      (file) => {
        copyFileSync(file, `${file}.copy`);
        renameSync(`${file}.copy`, file);
      },
    ],
  ])('notices before the next call that somebody %s', async (_name, attack) => {
    const folder = folderOf();
    const opened = await open(folder);
    await opened.decide();
    attack(join(folder, 'audit.000001.ndjson'));
    await expect(opened.decide()).rejects.toMatchObject({ code: 'HO_POLICY_AUDIT' });
    await opened.log.close();
  });

  it('is for one process: another one is told who has it', async () => {
    const folder = folderOf();
    const opened = await open(folder);
    await expect(open(folder)).rejects.toMatchObject({
      code: 'HO_POLICY_AUDIT',
      message: expect.stringContaining('is used by'),
    });
    expect((await runProgram(program, [folder, 'once'])).stdout).toContain('HO_POLICY_AUDIT');
    await opened.log.close();
    expect((await runProgram(program, [folder, 'once'])).stdout).toBe('1\n');
  });

  it.each<[string, object, string]>([
    ['a typo', { folders: 'x' }, 'Did you mean `folder`'],
    ['no folder', {}, 'needs a `folder`'],
    ['content', { folder: 'x', content: 'all' }, 'is one of'],
    ['a short key', { folder: 'x', key: 'short' }, 'at least 32 bytes'],
  ])('stops at %s', async (_name, options, message) => {
    await expect(AuditLog.open(options as AuditLogOptions)).rejects.toThrow(message);
  });
});

describe('verifyAudit', () => {
  const edit = (folder: string, change: (lines: string[]) => string[], file = 'audit.000001.ndjson') =>
    writeFileSync(
      join(folder, file),
      change(lines(folder, file))
        .map((line) => `${line}\n`)
        .join(''),
    );
  const problemsOf = async (folder: string) => {
    const { ok, problems } = await verifyAudit(folder);
    return [ok, ...problems.map(({ line, what }) => `${line}: ${what}`)];
  };

  it.each<[string, (folder: string) => void, RegExp]>([
    [
      'an edit',
      (folder) => edit(folder, (all) => all.map((line) => line.replace('call-2', 'call-X'))),
      /^2: it was changed/,
    ],
    [
      'an edit of the last entry',
      (folder) => edit(folder, (all) => all.map((line) => line.replace('call-5', 'call-X'))),
      /^5: it was changed/,
    ],
    [
      'an entry that is gone',
      (folder) => edit(folder, (all) => all.toSpliced(2, 1)),
      /^3: entry 4 stands behind entry 2/,
    ],
    [
      'an entry that was put in',
      (folder) => edit(folder, (all) => all.toSpliced(2, 0, all[1] ?? '')),
      /^3: entry 2 stands behind entry 2/,
    ],
    [
      'entries in another order',
      (folder) => edit(folder, ([a, b, c, ...rest]) => [a, c, b, ...rest] as string[]),
      /^2: entry 3 stands behind entry 1/,
    ],
    ['a cut at the end', (folder) => edit(folder, (all) => all.slice(0, 3)), /entries 4 to 5 are missing/],
    ['a cut to nothing', (folder) => edit(folder, () => []), /entries 1 to 5 are missing/],
    ['no files', (folder) => rmSync(join(folder, 'audit.000001.ndjson')), /entries 1 to 5 are missing/],
    [
      'a cut at the beginning',
      (folder) => edit(folder, (all) => all.slice(2)),
      /^1: it does not go on where entry 0 ends/,
    ],
    [
      'half a last entry',
      (folder) =>
        truncateSync(join(folder, 'audit.000001.ndjson'), statSync(join(folder, 'audit.000001.ndjson')).size - 9),
      /^5: it has no end/,
    ],
    ['no head', (folder) => rmSync(join(folder, 'head')), /it is gone/],
    [
      'a head that was changed',
      (folder) =>
        writeFileSync(join(folder, 'head'), readFileSync(join(folder, 'head'), 'latin1').replaceAll('"n":', '"n":1')),
      /is no head/,
    ],
    [
      'lines of another kind',
      (folder) => edit(folder, (all) => [...all.slice(0, 3), '{}', ...all.slice(3)]),
      /^4: it is no entry/,
    ],
  ])('finds %s, and so does the next start', async (_name, attack, what) => {
    const folder = await written(5);
    expect(await problemsOf(folder)).toEqual([true]);
    attack(folder);
    const [ok, problem] = await problemsOf(folder);
    expect([ok, problem]).toEqual([false, expect.stringMatching(what)]);
    // The start reads the last file alone, and needs no more to go on.
    await expect(open(folder)).rejects.toMatchObject({ code: 'HO_POLICY_AUDIT' });
  });

  it('finds files that were swapped, are missing, or are of another log', async () => {
    const options = { maxFileBytes: 600 };
    const swapped = await written(9, options);
    renameSync(join(swapped, 'audit.000002.ndjson'), join(swapped, 'x'));
    renameSync(join(swapped, 'audit.000003.ndjson'), join(swapped, 'audit.000002.ndjson'));
    renameSync(join(swapped, 'x'), join(swapped, 'audit.000003.ndjson'));
    expect((await verifyAudit(swapped)).ok).toBe(false);
    const missing = await written(9, options);
    rmSync(join(missing, 'audit.000002.ndjson'));
    expect((await problemsOf(missing))[1]).toContain('number 2, is missing');
    const other = await written(9, options);
    copyFileSync(join(await written(9, options), 'audit.000002.ndjson'), join(other, 'audit.000002.ndjson'));
    expect((await verifyAudit(other)).ok).toBe(false);
  });

  it('with a key, finds a log that was made anew by somebody without it', async () => {
    const key = 'k'.repeat(32);
    const folder = await written(3, { key });
    expect(await verifyAudit(folder, { key })).toMatchObject({ ok: true, entries: 3 });
    expect((await verifyAudit(folder)).ok).toBe(false);
    expect((await verifyAudit(folder, { key: 'x'.repeat(32) })).ok).toBe(false);
    await expect(open(folder)).rejects.toMatchObject({ code: 'HO_POLICY_AUDIT' });
    const forged = await written(3);
    expect((await verifyAudit(forged, { key })).ok).toBe(false);
  });

  it('with the head elsewhere, finds an older state that was put back', async () => {
    const at = mkdtempSync(join(tmpdir(), 'audit-'));
    const [folder, head] = [join(at, 'log'), join(at, 'elsewhere')];
    const first = await open(folder, { head });
    await first.decide();
    await first.log.close();
    const before = readFileSync(join(folder, 'audit.000001.ndjson'));
    const second = await open(folder, { head });
    await second.decide();
    await second.log.close();
    expect(await verifyAudit(folder, { head })).toMatchObject({ ok: true, entries: 2 });
    writeFileSync(join(folder, 'audit.000001.ndjson'), before);
    expect((await verifyAudit(folder, { head })).problems[0]?.what).toContain('entries 2 to 2 are missing');
  });

  it('says that it cannot read', async () => {
    await expect(verifyAudit('/nonexistent')).rejects.toMatchObject({ code: 'HO_POLICY_AUDIT' });
  });
});

describe('a crash', () => {
  it('leaves half an entry, which is cut, said, and noted; it never counted', async () => {
    const folder = await written(3);
    appendFileSync(join(folder, 'audit.000001.ndjson'), '{"n":4,"at":"2026');
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, entries: 3, unfinished: 17 });
    const warnings: string[] = [];
    const opened = await open(folder, { onWarning: (text) => warnings.push(text) });
    expect(warnings).toEqual([expect.stringContaining('17 bytes')]);
    await opened.decide();
    await opened.log.close();
    expect(JSON.parse(lines(folder)[3] ?? '')).toMatchObject({ n: 4, kind: 'repaired', cut_bytes: 17 });
    expect(await verifyAudit(folder)).toMatchObject({ ok: true, entries: 5, unfinished: 0 });
  });

  it('at any moment (kill -9) loses no entry that counted', async () => {
    const folder = folderOf();
    let counted = 0;
    for (let round = 0; round < 12; round++) {
      const wanted = 1 + ((round * 37) % 90);
      const { stdout } = await runProgram(program, [folder, 'forever'], (text) => text.split('\n').length > wanted);
      expect(stdout).not.toContain('HO_');
      counted += stdout.split('\n').length - 1;
      const { ok, entries, problems } = await verifyAudit(folder);
      expect([ok, problems]).toEqual([true, []]);
      expect(entries).toBeGreaterThanOrEqual(counted);
    }
    const opened = await open(folder);
    await opened.log.close();
    expect((await verifyAudit(folder)).ok).toBe(true);
  }, 120_000);
});
