import { spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placeOf } from '../approvals/approval.js';
import { approvalOf, rememberedOf, T0 } from './approval-fixture.test-support.js';
import { FileState } from './file-state.js';
import { FileStore } from './file-store.js';

let top: string;
let folder: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'file-store-'));
  folder = join(top, 'approvals');
});
afterEach(() => rmSync(top, { recursive: true }));

const segments = (of = folder) =>
  readdirSync(of)
    .filter((name) => name.endsWith('.seg'))
    .sort()
    .map((name) => join(of, name));
// One may be deleted between the two looks.
const bytesOf = (of = folder) =>
  segments(of).reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);

/** A process that keeps approvals, and says so of each once it is kept; the test kills it. */
function writer(count: number) {
  const script = `
    import { FileStore } from '@hermes-observer/policy';
    const store = await FileStore.open(${JSON.stringify(folder)});
    const base = ${JSON.stringify(approvalOf())};
    console.log('owner ' + store.owner);
    for (let i = 0; i < ${count}; i++) {
      const id = 'approval-' + i;
      await store.create({ ...base, id, idempotencyKey: 'key ' + i });
      console.log('pending ' + id);
      await store.move(id, ['pending'], 'approved', { at: ${T0}, decider: { channel: 'one', id: 'U' + i } });
      console.log('approved ' + id);
      await store.move(id, ['approved'], 'executing', { at: ${T0}, owner: store.owner });
      console.log('executing ' + id);
    }
    setInterval(() => {}, 1000);
  `;
  const cwd = new URL('../../../..', import.meta.url);
  return spawn(process.execPath, ['--input-type=module', '-e', script], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
}

describe('a process that is killed', () => {
  it('has lost nothing that it said, and what it was executing is given up', async () => {
    for (const lines of [2, 3, 20, 60]) {
      const child = writer(1_000);
      const said = new Map<string, string>();
      for await (const line of createInterface({ input: child.stdout })) {
        const [state = '', id = ''] = line.split(' ');
        said.set(id, state);
        if (said.size >= lines) break;
      }
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
      const store = await FileStore.open(folder);
      const order = ['pending', 'approved', 'executing'];
      said.delete(said.keys().next().value ?? '');
      for (const [id, state] of said) {
        const { state: kept = 'lost' } = (await store.get(id)) ?? {};
        expect(order.indexOf(kept), `${id} was ${state} and is ${kept}`).toBeGreaterThanOrEqual(order.indexOf(state));
      }
      const executing = await store.list({ states: ['executing'], limit: 10_000 });
      const abandoned = await store.abandon(T0 + 1);
      expect(abandoned.map(({ id }) => id)).toEqual(executing.map(({ id }) => id));
      expect(await store.list({ states: ['executing'] })).toEqual([]);
      await store.close();
      rmSync(folder, { recursive: true });
    }
  }, 60_000);

  it('keeps all others out while it lives', async () => {
    const child = writer(1);
    for await (const _ of createInterface({ input: child.stdout })) break;
    await expect(FileStore.open(folder)).rejects.toMatchObject({ code: 'HO_POLICY_STORE' });
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    await (await FileStore.open(folder)).close();
  }, 20_000);
});

/** Ten approved ones, in several files. */
async function approved(): Promise<string[]> {
  const store = await FileStore.open(folder, { compactBytes: 16_000 });
  const ids: string[] = [];
  for (let i = 0; i < 10; i++) {
    const { id } = (await store.create(approvalOf())).approval;
    await store.move(id, ['pending'], 'approved', { at: T0 });
    ids.push(id);
  }
  await store.remember(rememberedOf({ expiresAt: T0 * 2 }));
  await store.close();
  return ids;
}

describe('a file that is damaged', () => {
  const warnings: string[] = [];
  const open = () => FileStore.open(folder, { onWarning: (text) => warnings.push(text) });

  it('at its end, by a crash, has lost nothing that was acknowledged', async () => {
    const ids = await approved();
    appendFileSync(segments().at(-1) ?? '', Buffer.alloc(37, 7));
    const store = await open();
    for (const id of ids) expect((await store.get(id))?.state).toBe('approved');
    expect(await store.remembered(T0)).toHaveLength(1);
    await store.close();
  });

  it('within closes all that was open: nobody knows what was lost, and nothing runs by it', async () => {
    const ids = await approved();
    const [first = ''] = segments();
    const bytes = readFileSync(first);
    bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 64);
    writeFileSync(first, bytes);
    const store = await open();
    const kept = await store.list({ limit: 100 });
    expect(kept.length).toBeGreaterThan(5);
    for (const { state } of kept) expect(['outcome_unknown', 'cancelled']).toContain(state);
    for (const id of ids)
      expect(await store.move(id, ['approved'], 'executing', { at: T0, owner: 'x' })).toBeUndefined();
    expect(await store.remembered(T0)).toEqual([]);
    expect(warnings.join()).toMatch(/lost to damage/);
    // It is known from now on: what comes later is not closed by it.
    const later = (await store.create(approvalOf())).approval;
    await store.close();
    const again = await open();
    expect((await again.get(later.id))?.state).toBe('pending');
    await again.close();
  });

  it('that is gone closes all that was open too', async () => {
    await approved();
    const [, second = ''] = segments();
    rmSync(second);
    const store = await open();
    expect(await store.list({ states: ['pending', 'approved', 'executing'] })).toEqual([]);
    await store.close();
  });
});

describe('its size', () => {
  it('stays bounded over many changes, and all that is in force is kept', async () => {
    const compactBytes = 100_000;
    const store = await FileStore.open(folder, { compactBytes, keepFinished: 20 });
    const waiting = (await store.create(approvalOf({ expiresAt: null }))).approval;
    const ref = { channel: 'one', tenant: 't', chat: 'c', message: 'm' };
    await store.shown(waiting.id, ref, 'hash');
    const entry = rememberedOf({ expiresAt: Date.now() + 1e9 });
    const revoked = rememberedOf({ expiresAt: Date.now() + 1e9 });
    await store.remember(entry);
    await store.remember(revoked);
    await store.takeEvent('one', 'event', Date.now(), 1e9);
    await store.revoke(revoked.id, Date.now());
    let most = 0;
    let last = '';
    for (let i = 0; i < 600; i++) {
      const { id } = (await store.create(approvalOf({ expiresAt: null }))).approval;
      await store.move(id, ['pending'], 'rejected', { at: Date.now() });
      most = Math.max(most, bytesOf());
      last = id;
    }
    expect(most).toBeLessThan(4 * compactBytes);
    await store.close();
    const again = await FileStore.open(folder, { compactBytes });
    expect(await again.get(waiting.id)).toMatchObject({ state: 'pending', tokenHashes: { [placeOf(ref)]: ['hash'] } });
    expect((await again.get(last))?.state).toBe('rejected');
    expect(await again.remembered(Date.now())).toEqual([entry]);
    expect(await again.takeEvent('one', 'event', Date.now(), 1)).toBe(false);
    expect((await again.list({ limit: 1 }))[0]?.id).toBe(waiting.id);
    await again.close();
  }, 30_000);

  it('is tidied up under changes, and what was there at any moment is whole', async () => {
    const store = await FileStore.open(folder, { compactBytes: 30_000 });
    const expected = new Map<string, string>();
    const copies: [string, ReadonlyMap<string, string>][] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        for (let i = 0; i < 60; i++) {
          const { id } = (await store.create(approvalOf())).approval;
          expected.set(id, 'pending');
          if (i % 3 === 0) {
            await store.move(id, ['pending'], 'approved', { at: T0 });
            expected.set(id, 'approved');
          }
          if (i % 15 === 0 && worker === 0) {
            // What a crash would leave just now.
            const copy = join(top, `copy-${i}`);
            const known = new Map(expected);
            cpSync(folder, copy, { recursive: true });
            for (const name of readdirSync(copy)) if (name.startsWith('lock')) rmSync(join(copy, name));
            copies.push([copy, known]);
          }
        }
      }),
    );
    await store.close();
    copies.push([folder, expected]);
    for (const [copy, known] of copies) {
      const kept = await FileStore.open(copy, { onWarning: () => {} });
      for (const [id, state] of known) {
        const { state: now } = (await kept.get(id)) ?? {};
        expect(now === state || (state === 'pending' && now === 'approved'), `${id} is ${now}, not ${state}`).toBe(
          true,
        );
      }
      await kept.close();
    }
  }, 30_000);
});

it('a log that is cut anywhere opens to a state that was true once', async () => {
  const store = await FileStore.open(folder);
  const { id } = (await store.create(approvalOf())).approval;
  const order = ['pending', 'approved', 'executing', 'executed'] as const;
  for (let i = 1; i < order.length; i++) {
    await store.move(id, [order[i - 1] ?? 'pending'], order[i] ?? 'pending', { at: T0, owner: 'x' });
  }
  await store.close();
  const [path = ''] = segments();
  const { size } = statSync(path);
  const seen = new Set<string>();
  for (let bytes = size; bytes > 0; bytes -= 23) {
    truncateSync(path, bytes);
    const cut = await FileStore.open(folder, { onWarning: () => {} });
    const state = (await cut.get(id))?.state ?? 'none';
    seen.add(state);
    await cut.close();
  }
  expect([...seen]).toEqual(['executed', 'executing', 'approved', 'pending', 'none']);
}, 60_000);

describe('what an agent can make it keep', () => {
  it('is bounded: a request is refused while too much waits, and taken again when less does', async () => {
    const store = await FileStore.open(folder, { maxOpenArgs: 3_000 });
    const args = JSON.stringify({ text: 'x'.repeat(1_000) });
    const ids: string[] = [];
    for (let i = 0; i < 2; i++) ids.push((await store.create(approvalOf({ args }))).approval.id);
    await expect(store.create(approvalOf({ args }))).rejects.toMatchObject({ code: 'HO_POLICY_STORE' });
    await store.move(ids[0] ?? '', ['pending'], 'rejected', { at: T0 });
    expect(await store.create(approvalOf({ args }))).toMatchObject({ isNew: true });
    await store.close();
    const again = await FileStore.open(folder, { maxOpenArgs: 3_000 });
    await expect(again.create(approvalOf({ args }))).rejects.toMatchObject({ code: 'HO_POLICY_STORE' });
    await again.close();
  });

  it('is bounded in finished requests: the oldest are let go of', () => {
    const state = new FileState();
    for (let i = 0; i < 10; i++) {
      const of = i % 2 === 0 ? 'rejected' : 'pending';
      state.apply({ t: 'put', approval: approvalOf({ id: `a${i}`, state: of, args: 'x'.repeat(100) }) });
    }
    state.forget(T0, { millis: 1e12, most: 1000, args: 250 });
    expect([...state.approvals.keys()]).toEqual(['a1', 'a3', 'a5', 'a6', 'a7', 'a8', 'a9']);
    expect(state.openArgs).toBe(500);
  });
});
