import { spawn } from 'node:child_process';
import { appendFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { line, MemoryService, privateFolder, storeFull } from '../memory-service.test-support.js';
import { readLockTable } from './lock-table.js';
import { SpoolPickup } from './spool-pickup.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function open() {
  const folder = privateFolder();
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const service = new MemoryService();
  const pickup = new SpoolPickup(folder, service.context);
  /** A file that was last written so many seconds ago. */
  const write = (name: string, text: string, age = 10) => {
    writeFileSync(join(folder, name), text);
    utimesSync(join(folder, name), Date.now() / 1000 - age, Date.now() / 1000 - age);
  };
  return { folder, service, pickup, write, left: () => readdirSync(folder).sort() };
}

const GONE = 4_194_305;

describe('SpoolPickup', () => {
  it('takes full files in order, and deletes them', async () => {
    const { service, pickup, write, left } = open();
    // The clock was set back between the two.
    write('p-1-000002.ndjson', line(3), 30);
    write('p-1-000001.ndjson', line(1) + line(2), 5);
    write('q-1-000001.ndjson', line(1, {}, 'q'), 50);
    write('other.txt', 'x');
    await pickup.look();
    expect(service.lines.map((text) => [JSON.parse(text).producer, JSON.parse(text).seq])).toEqual([
      ['q', 1],
      ['p', 1],
      ['p', 2],
      ['p', 3],
    ]);
    expect(left()).toEqual(['other.txt']);
  });

  it('takes open files of processes that are gone, with the half line that is last left out', async () => {
    const { service, pickup, write, left } = open();
    write(`p-${GONE}-1.ndjson.open`, `${line(1)}{"hook":"pre_l`);
    write(`p-${process.pid}-1.ndjson.open`, line(2));
    write(`q-${GONE}-1.ndjson.open`, line(3), 0);
    await pickup.look();
    expect(service.lines).toEqual([line(1).trimEnd()]);
    expect(service.refusedLines).toEqual(['HO_RECORD_NOT_JSON']);
    expect(left()).toEqual([`p-${process.pid}-1.ndjson.open`, `q-${GONE}-1.ndjson.open`]);
  });

  it('keeps files that could not be taken, and what was added meanwhile', async () => {
    const { folder, service, pickup, write, left } = open();
    write('p-1-1.ndjson', line(1));
    service.failure = storeFull();
    await pickup.look();
    await pickup.look();
    expect([left(), service.faults.length]).toEqual([['p-1-1.ndjson'], 1]);
    service.failure = undefined;
    let isFirst = true;
    const take = service.take.bind(service);
    service.take = async (batch) => {
      if (isFirst) appendFileSync(join(folder, 'p-1-1.ndjson'), line(2));
      isFirst = false;
      return take(batch);
    };
    await pickup.look();
    await pickup.look();
    expect(left()).toEqual([]);
    expect(service.lines).toContain(line(2).trimEnd());
  });

  it('leaves everything while records are not wanted, and needs no folder', async () => {
    const { service, pickup, write, left } = open();
    write('p-1-1.ndjson', line(1));
    service.isPaused = true;
    await pickup.look();
    expect(left()).toHaveLength(1);
    await new SpoolPickup('/no/such/folder', service.context).look();
  });

  it.skipIf(readLockTable() === undefined)('leaves a file that is locked, whatever its process is', async () => {
    const { folder, service, pickup, write, left } = open();
    const name = `p-${GONE}-1.ndjson.open`;
    write(name, line(1));
    const holder = spawn('flock', [join(folder, name), 'sh', '-c', 'echo held; sleep 30'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    ends.push(() => holder.kill());
    const isHeld = await new Promise((resolve) => {
      holder.once('error', () => resolve(false));
      holder.stdout.once('data', () => resolve(true));
    });
    if (isHeld !== true) return;
    await pickup.look();
    expect([left(), service.lines]).toEqual([[name], []]);
  });
});
