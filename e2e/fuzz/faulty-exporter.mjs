// An exporter that does with its callback, and its promises, all that an exporter must not do.
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';

const serializer = JsonTraceSerializer;
/** OTLP writes a time as 64 bits of nanoseconds. */
const LAST_SECOND = 18_446_744_072;
const ODD_RESULTS = [undefined, null, {}, { code: 7 }, { code: 1 }, { code: 1, error: 'text' }, 'ok', 0];
const ODD_ERRORS = [undefined, null, 'text', Symbol('s'), 0, Object.create(null)];

/** What is thrown when somebody looks for the reason. */
function unreadableError() {
  const error = new Error('no');
  Object.defineProperty(error, 'message', {
    get() {
      throw new Error('hostile');
    },
  });
  return error;
}

export class FaultyExporter {
  #random;
  /** What was wrong with spans it was given. */
  faults = new Map();
  handedOver = 0;
  behaviours = new Map();

  constructor(random) {
    this.#random = random;
  }

  export(spans, done) {
    this.handedOver += spans.length;
    for (const span of spans) this.#inspect(span);
    if (this.#random.oneIn(8)) this.#serialize(spans);
    const [name, behave] = this.#random.of(BEHAVIOURS);
    this.behaviours.set(name, (this.behaviours.get(name) ?? 0) + 1);
    return behave(done, this.#random, spans);
  }

  forceFlush() {
    return this.#promise();
  }

  shutdown() {
    return this.#promise();
  }

  #promise() {
    switch (this.#random.below(8)) {
      case 0:
        throw unreadableError();
      case 1:
        return Promise.reject(this.#random.of(ODD_ERRORS));
      case 2:
        return new Promise(() => {});
      case 3:
        return undefined;
      default:
        return Promise.resolve();
    }
  }

  #fault(text) {
    this.faults.set(text, (this.faults.get(text) ?? 0) + 1);
  }

  /** What every backend relies on. */
  #inspect(span) {
    const { traceId, spanId } = span.spanContext();
    if (!/^[0-9a-f]{32}$/.test(traceId) || !/^[0-9a-f]{16}$/.test(spanId)) this.#fault('an id that is none');
    if (typeof span.name !== 'string' || span.name === '') this.#fault('a name that is none');
    for (const [seconds, nanos] of [span.startTime, span.endTime]) {
      const isWhole = Number.isInteger(seconds) && Number.isInteger(nanos);
      const isTime = isWhole && seconds >= 0 && seconds <= LAST_SECOND && nanos >= 0 && nanos < 1e9;
      if (!isTime) this.#fault(`a time that is none: ${seconds}, ${nanos}`);
    }
    const [start, end] = [span.startTime, span.endTime];
    if (end[0] < start[0] || (end[0] === start[0] && end[1] < start[1])) this.#fault('an end before the start');
    for (const [key, value] of Object.entries(span.attributes)) {
      const list = Array.isArray(value) ? value : [value];
      if (!list.every((one) => one === null || ['string', 'number', 'boolean'].includes(typeof one))) {
        this.#fault(`a value that is none in ${key}`);
      }
    }
  }

  #serialize(spans) {
    try {
      const { resourceSpans } = JSON.parse(Buffer.from(serializer.serializeRequest(spans)).toString());
      const count = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)).length;
      if (count !== spans.length) this.#fault('spans that the serializer lost');
    } catch (error) {
      this.#fault(`spans that cannot be written: ${error}`);
    }
  }
}

const BEHAVIOURS = [
  ['answers', (done) => done({ code: 0 })],
  ['answers', (done) => void setImmediate(done, { code: 0 })],
  ['answers', (done) => void queueMicrotask(() => done({ code: 0 }))],
  ['answers after a while', (done, random) => void setTimeout(done, random.below(8), { code: 0 })],
  ['fails', (done) => done({ code: 1, error: new Error('the backend is away') })],
  ['fails without a readable reason', (done) => void setImmediate(() => done({ code: 1, error: unreadableError() }))],
  ['answers oddly', (done, random) => done(random.of(ODD_RESULTS))],
  [
    'throws',
    () => {
      throw new Error('thrown');
    },
  ],
  [
    'throws oddly',
    (_done, random) => {
      throw random.of(ODD_ERRORS);
    },
  ],
  ['rejects', async () => Promise.reject(new Error('rejected'))],
  ['rejects oddly', async (_done, random) => Promise.reject(random.of(ODD_ERRORS))],
  [
    'rejects late',
    (_done, random) => new Promise((_, reject) => setTimeout(reject, random.below(90), new Error('late'))),
  ],
  ['never answers', () => {}],
  ['never resolves', () => new Promise(() => {})],
  [
    'answers twice',
    (done) => {
      done({ code: 0 });
      setImmediate(done, { code: 1, error: new Error('after all') });
    },
  ],
  [
    'fails, then answers',
    (done) => {
      done({ code: 1 });
      done({ code: 0 });
    },
  ],
  [
    'answers, then throws',
    (done) => {
      done({ code: 0 });
      throw new Error('thrown');
    },
  ],
  ['answers too late', (done, random) => void setTimeout(done, 60 + random.below(200), { code: 0 })],
  [
    'answers and rejects',
    async (done) => {
      done({ code: 0 });
      throw unreadableError();
    },
  ],
  [
    'changes what it was given',
    (done, _random, spans) => {
      spans.length = 0;
      spans.push(undefined);
      done({ code: 0 });
    },
  ],
];
