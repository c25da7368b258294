// A backend that answers, but not as one would like.
import { SpanSink } from '../../kill/span-sink.mjs';
import { pause } from '../scene.mjs';

const RETRY_AFTER_SECONDS = 3;
/** Timers, and a machine that is at work. */
const TOLERANCE_MILLIS = 1_500;

async function withSink(scene, play) {
  const sink = new SpanSink();
  const url = await sink.open();
  try {
    const service = await scene.serve({ config: { exporters: [{ name: 'sink', url }] } });
    scene.load();
    await pause(2_000);
    await play(sink, service);
  } finally {
    sink.close();
  }
}

/** 503 for a time. */
export function busy(scene, { isFull }) {
  return withSink(scene, async (sink, service) => {
    let refused = 0;
    sink.react = (_, response) => {
      refused++;
      response.writeHead(503).end();
      return true;
    };
    await pause(isFull ? 30_000 : 6_000);
    const metrics = await service.metrics();
    const [waiting, retries] = [metrics.value('spool_spans'), metrics.value('export_retries')];
    scene.check(
      'spans wait, and each try is counted',
      waiting > 0 && refused > 1 && Math.abs(retries - refused) <= 1,
      `${waiting} wait, ${refused} tries, ${retries} counted`,
    );
    sink.react = () => false;
    await scene.endLoad();
    scene.checkNotHeldUp();
    await scene.settled();
    await scene.account(sink);
  });
}

/** 429 that says when to come again. */
export function tooMany(scene, { isFull }) {
  return withSink(scene, async (sink) => {
    const asked = isFull ? 6 : 2;
    const at = [];
    sink.react = (_, response) => {
      at.push(performance.now());
      if (at.length > asked) return false;
      const seconds = RETRY_AFTER_SECONDS;
      // A date is in whole seconds: it may be up to one less.
      const date = new Date(Date.now() + (seconds + 1) * 1000).toUTCString();
      response.writeHead(429, { 'retry-after': at.length % 2 === 1 ? String(seconds) : date }).end();
      return true;
    };
    await pause((asked + 1) * (RETRY_AFTER_SECONDS + 1) * 1000);
    const gaps = at.slice(1, asked + 1).map((time, i) => time - at[i]);
    const [least, most] = [RETRY_AFTER_SECONDS * 1000 - 5, (RETRY_AFTER_SECONDS + 1) * 1000 + TOLERANCE_MILLIS];
    scene.check(
      `Retry-After of ${RETRY_AFTER_SECONDS} s is kept to, as a number and as a date`,
      gaps.length === asked && gaps.every((gap) => gap >= least && gap <= most),
      `${gaps.map((gap) => gap.toFixed(0)).join(', ')} ms`,
    );
    await scene.endLoad();
    scene.checkNotHeldUp();
    await scene.settled();
    await scene.account(sink);
  });
}

/** 400 for whatever is in one request with a span that it cannot read; half of these it takes without attributes. */
export function poison(scene) {
  return withSink(scene, async (sink, service) => {
    const given = new Set();
    const cut = new Set();
    const kindOf = ({ spanId }) => {
      const number = Number.parseInt(spanId.slice(0, 4), 16);
      return number % 40 === 0 ? 'never' : number % 40 === 1 ? 'bare' : 'good';
    };
    const isCut = ({ attributes = [] }) => attributes.some(({ key }) => key === 'hermes.export.cut');
    let isPicky = true;
    sink.react = (spans, response) => {
      if (!isPicky) return false;
      let isBad = false;
      for (const span of spans) {
        const kind = kindOf(span);
        const id = `${span.traceId}/${span.spanId}`;
        if (kind === 'bare' && isCut(span)) cut.add(id);
        if (kind === 'never' || (kind === 'bare' && !isCut(span))) isBad = true;
        // One that is refused with nothing left of it is not sent again.
        if (kind === 'never' && isCut(span)) given.add(id);
      }
      if (isBad) response.writeHead(400).end('what is this?');
      return isBad;
    };
    await pause(5_000);
    await scene.endLoad();
    scene.checkNotHeldUp();
    await scene.settled();
    isPicky = false;
    const metrics = await service.metrics();
    const refused = metrics.value('lost_spans', { exporter: 'sink', reason: 'refused' });
    scene.check(
      'what a backend refuses for good is given up by that name, and what it takes bare arrives',
      given.size > 0 && cut.size > 0 && refused === given.size && [...cut].every((id) => sink.versions.has(id)),
      `${given.size} given up, ${refused} counted as refused, ${cut.size} arrived bare`,
    );
    await scene.account(sink, { lost: given, cut });
  });
}
