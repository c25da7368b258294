// A backend that is away, a process that is killed meanwhile, and another that goes on, with the spool on.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../kill/serve-command.mjs';
import { MOST_MIB } from './burst.mjs';
import { runProducer, startProducer } from './run-producer.mjs';
import { Sink } from './sink.mjs';

const SPANS = 50_000;
const HALF = SPANS / 2;
/** Each producer ends one before, to have everything loaded. */
const ENDED = SPANS + 2;
const FULL_MILLIS = 60_000;
const SHORT_MILLIS = 12_000;
const MOST_WAIT_MILLIS = 60_000;

const sum = (list, pick) => list.reduce((total, one) => total + pick(one), 0);

function row(contestant, seconds, said, got, lostSaid) {
  return {
    what: `backend away for ${seconds} s, killed between`,
    contestant,
    ended: ENDED,
    arrived: got.spans,
    lost: ENDED - got.spans,
    'said lost': lostSaid,
    twice: got.twice,
    'alive, MiB': Math.max(...said.map(({ aliveMiB }) => aliveMiB)),
    'heap peak, MiB': Math.max(...said.map(({ heapMiB }) => heapMiB)),
    seconds: Math.round(sum(said, (one) => one.seconds) * 10) / 10,
  };
}

/** The first half, killed; then the second half, while the backend comes back. Returns what both said and what came. */
async function play(kind, awayMillis, folder) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const own = folder === undefined ? {} : { spool: folder };
  const began = performance.now();
  const first = startProducer({ kind, url, spans: HALF, hold: true, ...own });
  const said = [await first.result];
  await first.kill();
  const second = startProducer({ kind, url, spans: HALF, from: HALF, hold: folder !== undefined, ...own });
  const saidThen = second.result;
  await sleep(Math.max(0, awayMillis - (performance.now() - began)));
  const sink = await Sink.start({ port });
  said.push(await saidThen);
  let got = await sink.counts();
  // The spans of the one that was killed are not what the other's flush waits for.
  const end = performance.now() + (folder === undefined ? 0 : MOST_WAIT_MILLIS);
  while (got.spans < ENDED && performance.now() < end) {
    await sleep(250);
    got = await sink.counts();
  }
  await second.kill();
  sink.close();
  return { said, got };
}

export async function checkAway({ isFull }, check, table) {
  const awayMillis = isFull ? FULL_MILLIS : SHORT_MILLIS;
  const seconds = awayMillis / 1000;
  const folder = mkdtempSync(join(tmpdir(), 'pipeline-spool-'));
  try {
    const [ours, stock] = await Promise.all([play('ours', awayMillis, folder), play('stock', awayMillis, undefined)]);
    table.push(
      row('ours, spool', seconds, ours.said, ours.got, String(sum(ours.said, ({ counts }) => counts.spool.lostSpans))),
    );
    table.push(row('stock', seconds, stock.said, stock.got, 'nothing'));
    const { said, got } = ours;
    check(
      `backend away for ${seconds} s and a kill between: none of ${SPANS} is lost`,
      got.spans === ENDED,
      `${got.spans} of ${ENDED} arrived`,
    );
    check('none comes twice, all in order', got.twice === 0 && got.isInOrder, `${got.twice} twice`);
    check(
      'none counts as lost',
      said.every(({ counts }) => counts.failedSpans + counts.droppedSpans + counts.spool.lostSpans === 0),
    );
    check('what waited was told', said[0].counts.spool.waitingSpans === HALF + 1, JSON.stringify(said[0].counts.spool));
    check(
      `memory stays below ${MOST_MIB} MiB`,
      said.every(({ heapMiB }) => heapMiB < MOST_MIB),
      said.map(({ heapMiB }) => `${heapMiB} MiB`).join(', '),
    );
    await checkLater(folder, check);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Killed while it sends: what was under way comes twice at most, and nothing is lost of what is on disk, which is all. */
async function checkLater(folder, check) {
  const slow = await Sink.start({ delayMillis: 150 });
  const own = { kind: 'ours', url: slow.url, spool: folder };
  const first = startProducer({ ...own, spans: HALF, hold: true });
  while ((await slow.counts()).spans < HALF / 5) await sleep(20);
  await first.kill();
  const before = await slow.counts();
  await runProducer({ ...own, spans: 1, from: HALF });
  const got = await slow.counts();
  slow.close();
  const isMet = before.spans < HALF && got.spans === HALF + 3;
  check('killed while it sends: none is lost', isMet, `${before.spans} before, ${got.spans} of ${HALF + 3} in the end`);
  check('what comes twice is one request at most', got.twice <= 512 && got.isInOrder, `${got.twice} twice`);
}
