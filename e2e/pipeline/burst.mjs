// Many spans that end in one tick, and a backend in another process that takes its time.
import { runProducer } from './run-producer.mjs';
import { Sink } from './sink.mjs';

const SPANS = 50_000;
const ANSWER_MILLIS = 200;
/**
 * Bound on what the pipeline takes of memory: spans that wait are bounded to 128 MiB by their estimated size, which is about
 * what they take; as much again for what is not collected yet, and for the batch under way, which is there once more.
 */
export const MOST_MIB = 256;
/** The producer ends one span before, to have everything loaded. */
const ENDED = SPANS + 1;

async function burst(options, delayMillis) {
  const sink = await Sink.start({ delayMillis });
  try {
    const said = await runProducer({ url: sink.url, ...options });
    return { said, got: await sink.counts() };
  } finally {
    sink.close();
  }
}

function row(what, contestant, ended, { said, got }) {
  const { droppedSpans = 0, failedSpans = 0 } = said.counts;
  const isOurs = contestant.startsWith('ours');
  return {
    what,
    contestant,
    ended,
    arrived: got.spans,
    lost: ended - got.spans,
    'said lost': isOurs ? String(droppedSpans + failedSpans) : 'nothing',
    twice: got.twice,
    'alive, MiB': said.aliveMiB,
    'heap peak, MiB': said.heapMiB,
    seconds: said.seconds,
  };
}

export async function checkBurst({ isFull }, check, table) {
  const what = 'burst, answers after 200 ms';
  const ours = await burst({ kind: 'ours', spans: SPANS }, ANSWER_MILLIS);
  table.push(row(what, 'ours', ENDED, ours));
  const { said, got } = ours;
  check(`${SPANS} spans in one tick: none is lost`, got.spans === ENDED, `${got.spans} of ${ENDED} arrived`);
  check('none comes twice, all in order', got.twice === 0 && got.isInOrder, `${got.twice} twice`);
  check(
    'and the counts say so',
    said.counts.exportedSpans === ENDED && said.counts.droppedSpans + said.counts.failedSpans === 0,
    JSON.stringify(said.counts),
  );
  check(`memory stays below ${MOST_MIB} MiB`, said.heapMiB < MOST_MIB, `${said.heapMiB} MiB`);
  check('no request is over 4 MiB', got.largest <= 4 * 2 ** 20, `${got.largest} bytes`);

  table.push(row(what, 'stock', ENDED, await burst({ kind: 'stock', spans: SPANS }, ANSWER_MILLIS)));
  const roomy = await burst({ kind: 'stock', spans: SPANS, queue: SPANS * 2 }, ANSWER_MILLIS);
  table.push(row(what, 'stock, queue of 100,000', ENDED, roomy));

  // More than there is room for: what is too much is counted, and memory stays where it is.
  const many = SPANS * (isFull ? 10 : 4);
  const flood = await burst({ kind: 'ours', spans: many }, 0);
  table.push(row('more than there is room for', 'ours', many + 1, flood));
  const { exportedSpans, droppedSpans, failedSpans } = flood.said.counts;
  check(
    `${many} spans in one tick: each arrives or is counted`,
    exportedSpans === flood.got.spans && exportedSpans + droppedSpans === many + 1 && failedSpans === 0,
    `${flood.got.spans} arrived, ${droppedSpans} dropped`,
  );
  check('some found no room', droppedSpans > 0, `${droppedSpans}`);
  check(
    'they are told of',
    flood.said.counts.warnings.some((text) => text.startsWith(`${droppedSpans} spans were dropped`)),
  );
  check(`memory stays below ${MOST_MIB} MiB`, flood.said.aliveMiB < MOST_MIB, `${flood.said.aliveMiB} MiB alive`);
}
