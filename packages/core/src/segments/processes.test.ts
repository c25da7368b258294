import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ownIdentity, stateOf } from './process-identity.js';
import { SegmentLog } from './segment-log.js';

/** What a child process runs, by name. Each gets the folder as its argument and says lines of JSON. */
const PROGRAMS = {
  // Appends batches whose records say their number and are full of it, and says what was acknowledged.
  append: `
    const log = await SegmentLog.open(folder, { sync: process.argv[3], syncMillis: 5, segmentBytes: 200_000 });
    say({ open: log.next });
    let n = log.next;
    const batch = () => Array.from({ length: 1 + (n % 40) }, () => {
      const payload = Buffer.alloc(8 + (n % 900), n & 255);
      payload.writeUInt32LE(n++, 0);
      return payload;
    });
    for (;;) {
      await log.room();
      const payloads = batch();
      log.append(payloads).then((position) => say({ acknowledged: position + payloads.length }));
      await new Promise((resolve) => setImmediate(resolve));
    }`,
  // Empties every third record, over and over, each time as many more.
  erase: `
    const log = await SegmentLog.open(folder, { sync: 'always', segmentBytes: 20_000 });
    say({ open: log.next });
    for (let count = 1; count <= 2_000; count += 97) {
      await log.erase(Array.from({ length: count }, (_, i) => [i * 3, 1]).flat());
      say({ erased: count });
    }
    await log.close();`,
  hold: `
    try {
      const log = await SegmentLog.open(folder, { sync: 'never' });
      await log.append([Buffer.from(String(process.pid))]);
      say({ open: true });
      process.stdin.resume();
      process.stdin.on('end', async () => { await log.close(); });
    } catch (error) {
      say({ code: error.code, message: error.message });
    }`,
  // A file may not grow beyond a bound that the shell has set.
  grow: `
    const log = await SegmentLog.open(folder, { sync: 'always', segmentBytes: 1e9 });
    let good = 0, code;
    while (code === undefined) {
      await log.append([Buffer.alloc(10_000, good)]).then(() => good++, (error) => { code = error.code; });
    }
    let read = 0;
    for await (const batch of log.read()) read += batch.length;
    const small = await log.append([Buffer.from('fits')]);
    await log.close();
    say({ good, code, read, small });`,
} as const;

let programs: string;
let folder: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), 'programs-'));
  const bundle = await rolldown({ input: fileURLToPath(new URL('../segments.ts', import.meta.url)), platform: 'node' });
  await bundle.write({ file: join(programs, 'segments.mjs'), format: 'esm' });
  const head = `import { SegmentLog } from './segments.mjs';
    const folder = process.argv[2];
    const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n');\n`;
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(programs, `${name}.mjs`), head + text);
});
afterAll(() => rmSync(programs, { recursive: true }));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'processes-'));
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  rmSync(folder, { recursive: true, force: true });
});

type Said = Record<string, number | string | boolean>;

function run(
  name: keyof typeof PROGRAMS,
  ...options: string[]
): { child: ChildProcess; said: AsyncIterableIterator<Said> } {
  return start(process.execPath, [join(programs, `${name}.mjs`), folder, ...options]);
}

function start(command: string, options: string[]): { child: ChildProcess; said: AsyncIterableIterator<Said> } {
  const child = spawn(command, options, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.add(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = (async function* () {
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      // The last line of a process that is killed may be cut.
      if (line.value.endsWith('}')) yield JSON.parse(line.value) as Said;
    }
  })();
  return { child, said };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

describe('kill -9', () => {
  it.each(['always', 'interval', 'never'])(
    'at random moments loses nothing acknowledged and tears nothing: %s',
    async (sync) => {
      let atLeast = 0;
      for (let round = 0; round < 6 || (round < 40 && atLeast <= 100); round++) {
        const { child, said } = run('append', sync);
        const opened = await said.next();
        expect(opened.value?.open).toBeGreaterThanOrEqual(atLeast);
        const timer = sleep(5 + Math.random() * 120).then(() => kill(child));
        for await (const { acknowledged } of said) atLeast = Number(acknowledged);
        await timer;

        const log = await SegmentLog.open(folder, { onDamage: () => undefined });
        let next = 0;
        for await (const batch of log.read()) {
          for (const { position, payload } of batch) {
            expect(position).toBe(next++);
            const whole = Buffer.alloc(8 + (position % 900), position & 255);
            whole.writeUInt32LE(position, 0);
            if (!payload.equals(whole)) expect.fail(`record ${position} is torn`);
          }
        }
        expect(next).toBe(log.next);
        expect(next).toBeGreaterThanOrEqual(atLeast);
        expect(log.damage.lostRecords).toBe(0);
        await log.close();
      }
      expect(atLeast).toBeGreaterThan(100);
    },
  );
});

describe('kill -9 while records are erased', () => {
  it('leaves each segment as it was or as it is to be', async () => {
    const text = (position: number) => Buffer.from(`record ${position} ${'x'.repeat(position % 300)}`);
    const first = await SegmentLog.open(folder, { sync: 'always', segmentBytes: 20_000 });
    await first.append([]);
    for (let at = 0; at < 6_000; at += 50) await first.append(Array.from({ length: 50 }, (_, i) => text(at + i)));
    await first.roll();
    await first.close();
    let least = 0;
    let kills = 0;
    for (let round = 0; round < 15 && least < 1_900; round++) {
      const { child, said } = run('erase');
      await said.next();
      const ended = once(child, 'exit');
      const timer = sleep(10 + Math.random() * 150).then(() => child.kill('SIGKILL') && kills++);
      for await (const { erased } of said) least = Math.max(least, Number(erased));
      await ended;
      await timer;
      const log = await SegmentLog.open(folder, { onDamage: ({ error }) => expect.fail(error.message) });
      let next = 0;
      for await (const batch of log.read()) {
        for (const { position, payload } of batch) {
          expect(position).toBe(next++);
          const isThird = position % 3 === 0;
          if (isThird && position / 3 < least) expect(payload).toHaveLength(0);
          else if (!isThird || payload.length > 0) expect(payload.toString()).toBe(text(position).toString());
        }
      }
      expect(next).toBe(6_000);
      await log.close();
      expect(readdirSync(folder).filter((name) => !/^\d{16}\.seg$|^lock/.test(name))).toEqual([]);
    }
    expect(kills).toBeGreaterThan(2);
  });
});

describe('the lock', () => {
  it('keeps a second process out, and one that was killed does not hold it', async () => {
    const first = run('hold');
    expect((await first.said.next()).value).toEqual({ open: true });
    const refused = (await run('hold').said.next()).value;
    expect(refused).toMatchObject({ code: 'HO_STORE_LOCKED' });
    expect(refused?.message).toContain(`process ${first.child.pid}`);
    await expect(SegmentLog.open(folder)).rejects.toMatchObject({ code: 'HO_STORE_LOCKED' });
    await kill(first.child);

    const log = await SegmentLog.open(folder);
    expect(log.next).toBe(1);
    await expect(SegmentLog.open(folder)).rejects.toThrow('this process');
    await log.close();
    const third = run('hold');
    expect((await third.said.next()).value).toEqual({ open: true });
    third.child.stdin?.end();
    await once(third.child, 'exit');
    await (await SegmentLog.open(folder)).close();
    expect(readdirSync(folder).filter((name) => name.startsWith('lock'))).toHaveLength(1);
  });

  it('goes to one of many that find its owner gone', async () => {
    const dead = run('hold');
    await dead.said.next();
    await kill(dead.child);
    const contenders = Array.from({ length: 8 }, () => run('hold'));
    const answers = await Promise.all(contenders.map(async ({ said }) => (await said.next()).value));
    expect(answers.filter((answer) => answer?.open === true)).toHaveLength(1);
    expect(answers.filter((answer) => answer?.code === 'HO_STORE_LOCKED')).toHaveLength(7);
    const names = readdirSync(folder);
    expect(names.filter((name) => name.startsWith('lock'))).toHaveLength(1);
  });

  it('goes to one of many parts of one process', async () => {
    for (let round = 0; round < 10; round++) {
      const opens = await Promise.allSettled(Array.from({ length: 10 }, () => SegmentLog.open(folder)));
      const open = opens.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(open).toHaveLength(1);
      await open[0]?.close();
    }
  });

  it('is free of a process whose pid another one has now, and of an earlier boot', async () => {
    const own = ownIdentity();
    expect(stateOf(own)).toBe('alive');
    expect(stateOf({ ...own, start: '1' })).toBe('gone');
    expect(stateOf({ ...own, boot: 'another' })).toBe('gone');
    expect(stateOf({ ...own, space: 'another' })).toBe('unknown');
    writeFileSync(join(folder, 'lock.7'), JSON.stringify({ ...own, start: '1' }));
    await (await SegmentLog.open(folder)).close();
    expect(readdirSync(folder).filter((name) => name.startsWith('lock'))).toEqual(['lock.8']);
  });

  it('of another pid namespace counts as long as it is touched', async () => {
    const path = join(folder, 'lock.7');
    writeFileSync(path, JSON.stringify({ ...ownIdentity(), space: 'another' }));
    const touching = setInterval(() => utimesSync(path, new Date(), new Date()), 1_000);
    await expect(SegmentLog.open(folder)).rejects.toMatchObject({ code: 'HO_STORE_LOCKED' });
    clearInterval(touching);
    const start = performance.now();
    const log = await SegmentLog.open(folder);
    expect(performance.now() - start).toBeGreaterThan(5_000);
    // Somebody took it over while this process was stopped.
    writeFileSync(join(folder, 'lock.9'), readFileSync(join(folder, 'lock.8')));
    const append = () => log.append([Buffer.from('a')]);
    await vi.waitFor(() => expect(append()).rejects.toMatchObject({ code: 'HO_STORE_LOCKED' }), 10_000);
    await log.close();
  });
});

describe('a file that may not grow', () => {
  it('is as a full disk, and the log goes on with what fits', async () => {
    // With its signal ignored, the bound gives EFBIG. It holds for a process, so this is one of its own.
    const command = `trap '' XFSZ; ulimit -f 100; exec "$0" "$@"`;
    const { said } = start('bash', ['-c', command, process.execPath, join(programs, 'grow.mjs'), folder]);
    const found = (await said.next()).value;
    expect(found).toMatchObject({ code: 'HO_STORE_FULL', read: found?.good, small: found?.good });
    expect(found?.good).toBeGreaterThan(5);
  });
});
