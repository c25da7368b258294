import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DeliveryFile } from './delivery-file.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deliveries-'));
  path = join(folder, 'webhooks');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const reloaded = (now: number) => new DeliveryFile(path).load(now);

it('has after a restart what was added before, until it may be forgotten', async () => {
  const file = new DeliveryFile(path);
  expect(await file.load(0)).toEqual([]);
  await Promise.all([file.add(['a', 100], 0), file.add(['b "quoted"\n', 200], 0)]);
  // Killed: it was not closed.
  expect(await reloaded(50)).toEqual([
    ['a', 100],
    ['b "quoted"\n', 200],
  ]);
  expect(await reloaded(150)).toEqual([['b "quoted"\n', 200]]);
  await file.close();
});

it('a line that was cut short, or is none, costs no other one', async () => {
  const file = new DeliveryFile(path);
  await file.add(['a', 100], 0);
  appendFileSync(path, '["cut sh');
  await file.add(['b', 100], 0);
  writeFileSync(
    path,
    Buffer.concat([readFileSync(path), Buffer.from([0xff, 0, 10]), Buffer.from('{"x":1}\nnull\n[7,8]\n')]),
  );
  expect((await reloaded(0)).map(([id]) => id)).toEqual(['a', 'b']);
  await file.close();
});

it('does not grow with what is forgotten, and goes on with what was loaded', async () => {
  const before = new DeliveryFile(path);
  await before.add(['old', 1_000_000], 0);
  await before.close();
  const file = new DeliveryFile(path);
  await file.load(0);
  let most = 0;
  for (let i = 1; i <= 10_200; i++) {
    await file.add([`d${i}`, i + 10], i);
    if (i % 100 === 0) most = Math.max(most, readFileSync(path, 'utf8').length);
  }
  expect(most).toBeLessThan(400_000);
  expect(readFileSync(path, 'utf8').length).toBeLessThan(20_000);
  expect((await reloaded(10_200)).map(([id]) => id)).toEqual([
    ...Array.from({ length: 10 }, (_, i) => `d${10_191 + i}`),
    'old',
  ]);
  await file.close();
}, 60_000);

it('is made again when somebody has deleted it', async () => {
  const file = new DeliveryFile(path);
  await file.add(['a', 100], 0);
  rmSync(path);
  await file.add(['b', 100], 0);
  expect((await reloaded(0)).map(([id]) => id)).toEqual(['a', 'b']);
  rmSync(folder, { recursive: true });
  await expect(file.add(['c', 100], 0)).rejects.toMatchObject({ code: 'ENOENT' });
  await file.close();
});
