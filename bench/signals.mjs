// What each profile and signal costs beside the default pipeline, alone and all together: a turn of 31 spans, from the first hook
// until a local backend has answered for all of it. With nothing of content, and with messages, arguments and results.
//
// node bench/signals.mjs [rounds]
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createObserver, OtlpHttpExporter } from '@hermes-observer/otel';
import { withProfiles } from '@hermes-observer/profiles';
import { startByteSink } from './byte-sink.mjs';
import { quantiles } from './interleave.mjs';
import { makeTurn, SPANS_A_TURN } from './peers/turn.mjs';

const TURNS = 20;
const TURNS_A_TICK = 5;
const DEFAULT = 'default';
const ALL_PROFILES = ['genai', 'openinference', 'langfuse'];

/** Options of `createObserver` for each, beside the exporter. */
const CONTESTANTS = [
  { name: DEFAULT },
  { name: 'genai', profiles: ['genai/0.1.0'] },
  { name: 'openinference', profiles: ['openinference'] },
  { name: 'langfuse', profiles: ['langfuse'] },
  { name: 'cost', options: { cost: true } },
  { name: 'metrics', options: { metrics: true } },
  { name: 'logs', options: { logs: true } },
  { name: 'all', profiles: ALL_PROFILES, options: { cost: true, metrics: true, logs: true } },
];

function observed({ profiles, options }, url, capture) {
  const exporter = new OtlpHttpExporter({ url: `${url}/v1/traces`, env: {} });
  const observer = createObserver({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url },
    capture,
    exporters: [profiles === undefined ? exporter : withProfiles(exporter, profiles)],
    ...options,
  });
  return {
    tell: ({ calls, times }) => {
      for (let i = 0; i < calls.length; i++) observer.hub.emit(calls[i][0], calls[i][1], { time: times[i].hr });
    },
    flush: () => observer.flush(),
    close: () => observer.shutdown(),
  };
}

const text = (bytes, i) => `${i}: ${'What the model and its tools have to say to each other. '.repeat(bytes / 56)}`;

/** A conversation as it stands before a request: eight messages of a kilobyte. */
const MESSAGES = Array.from({ length: 8 }, (_, i) => ({
  role: i % 2 === 0 ? 'user' : 'assistant',
  content: text(1024, i),
}));
const RESULT = text(2048, 0);

/** The same turn with content. */
function withContent({ calls, ...turn }) {
  const content = {
    pre_llm_call: { user_message: MESSAGES[0].content },
    pre_api_request: { request: { method: 'POST', body: { model: 'gpt-5', messages: MESSAGES } } },
    post_api_request: { response: { assistant_message: { role: 'assistant', content: MESSAGES[1].content } } },
    post_tool_call: { result: RESULT },
  };
  return { ...turn, calls: calls.map(([hook, payload]) => [hook, { ...payload, ...content[hook] }]) };
}

/** One sample: microseconds a turn on the caller's stack, and of the processor until all is delivered. */
async function sample({ tell, flush }, turns) {
  let called = 0n;
  await nextTurn();
  const cpu = process.cpuUsage();
  for (let i = 0; i < turns.length; i++) {
    const from = process.hrtime.bigint();
    tell(turns[i]);
    called += process.hrtime.bigint() - from;
    if (i % TURNS_A_TICK === TURNS_A_TICK - 1) await nextTurn();
  }
  await flush();
  const { user, system } = process.cpuUsage(cpu);
  return { call: Number(called) / 1000 / turns.length, cpu: (user + system) / turns.length };
}

/** @returns rows in microseconds and bytes of spans a turn (medians), with their ratios to the default */
async function measure({ content, rounds, sink }) {
  const entries = CONTESTANTS.map((one) => ({
    name: one.name,
    observer: observed(one, sink.url, content ? 'full' : 'none'),
    samples: { call: [], cpu: [] },
    bytes: 0,
  }));
  for (let round = -Math.ceil(rounds / 4); round < rounds; round++) {
    for (const entry of [...entries].sort(() => Math.random() - 0.5)) {
      const turns = Array.from({ length: TURNS }, () => (content ? withContent(makeTurn()) : makeTurn()));
      const figures = await sample(entry.observer, turns);
      const { spans, bytes } = await sink.take();
      if (spans !== TURNS * SPANS_A_TURN) throw new Error(`${entry.name}: ${spans} of ${TURNS * SPANS_A_TURN} spans`);
      entry.bytes = bytes / TURNS;
      if (round < 0) continue;
      for (const [name, value] of Object.entries(figures)) entry.samples[name].push(value);
    }
  }
  for (const { observer } of entries) await observer.close();
  await sink.take();
  const median = ({ samples }, figure) => quantiles(samples[figure]).median;
  // Of what takes long, other work on the machine interrupts more: the least is what the work itself takes.
  const least = ({ samples }) => quantiles(samples.call).min;
  const [base] = entries;
  return entries.map((entry) => ({
    content: content ? 'full' : 'none',
    name: entry.name,
    call: median(entry, 'call'),
    callRatio: median(entry, 'call') / median(base, 'call'),
    leastCallRatio: least(entry) / least(base),
    cpu: median(entry, 'cpu'),
    cpuRatio: median(entry, 'cpu') / median(base, 'cpu'),
    bytes: Math.round(entry.bytes),
    bytesRatio: entry.bytes / base.bytes,
  }));
}

/** `call` is what the agent's own calls take; `cpu` is all, until the last byte of spans, metrics and logs is answered for. */
export async function signalCost({ rounds }) {
  const sink = await startByteSink();
  try {
    return [
      ...(await measure({ content: false, rounds, sink })),
      ...(await measure({ content: true, rounds: Math.ceil(rounds / 2), sink })),
    ];
  } finally {
    sink.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.table(await signalCost({ rounds: Number(process.argv[2] ?? 40) }));
}
