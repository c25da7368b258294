// What it costs the real `hermes-observer serve` to take spans over OTLP/HTTP, as JSON and as protobuf, beside one process that
// only parses the same JSON; what memory they take; and that only whole traces make room. This process sends.
//
// node bench/receiver.mjs [spans a round] [rounds]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { ServeCommand, TOKEN } from '../e2e/kill/serve-command.mjs';

const BATCH = 500;
const TRACE = 1_000;
/** Kept by the viewer. */
const MOST_SPANS = 100_000;
/** Of Linux: what `stat` of a process counts in. */
const TICKS = 100;
const hex = (value, digits) => value.toString(16).padStart(digits, '0');
const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

const resource = {
  attributes: {
    'service.name': 'hermes-agent',
    'service.version': '1.0',
    'host.name': 'bench',
    'telemetry.sdk.language': 'nodejs',
  },
  merge: () => resource,
};
const scope = { name: 'bench', version: '1' };

/** Spans as an agent has them: 12 attributes, about 1.2 KB each in JSON. @param round makes ids that were not there */
function* batches(count, round) {
  const begin = Math.floor(Date.now() / 1000) - 600;
  for (let from = 0; from < count; from += BATCH) {
    const spans = [];
    for (let index = from; index < Math.min(count, from + BATCH); index++) {
      const traceId = hex(round, 8) + hex(Math.floor(index / TRACE) + 1, 24);
      const place = index % TRACE;
      const spanId = hex(round * count + index + 1, 16);
      const isTool = place % 2 === 1;
      const time = begin + Math.floor(index / TRACE);
      spans.push({
        name: place === 0 ? 'invoke_agent hermes' : isTool ? 'execute_tool terminal' : 'chat mock-large',
        kind: isTool ? 0 : 2,
        spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
        ...(place > 0 && {
          parentSpanContext: {
            traceId,
            spanId: hex(round * count + index + 1 - (place % 10 || 10), 16),
            traceFlags: 1,
          },
        }),
        startTime: [time, place * 1000],
        endTime: [time + 1, place * 1000],
        status: { code: 0 },
        attributes: {
          'gen_ai.operation.name': place === 0 ? 'invoke_agent' : isTool ? 'execute_tool' : 'chat',
          'gen_ai.agent.name': 'hermes',
          'gen_ai.conversation.id': `session-${round}`,
          'gen_ai.provider.name': 'custom',
          'gen_ai.request.model': 'mock-large',
          'gen_ai.usage.input_tokens': 1200 + place,
          'gen_ai.usage.output_tokens': place,
          'gen_ai.tool.name': 'terminal',
          'gen_ai.tool.call.id': `call_${index}`,
          'hermes.api.attempts': 1,
          'hermes.turn.id': `turn-${round}-${Math.floor(index / TRACE)}`,
          'gen_ai.tool.call.arguments': `{"command":"echo ${'words that a tool is given '.repeat(8)}"}`,
        },
        links: [],
        events: [],
        duration: [1, 0],
        ended: true,
        resource,
        instrumentationScope: scope,
        droppedAttributesCount: 0,
        droppedEventsCount: 0,
        droppedLinksCount: 0,
      });
    }
    yield spans;
  }
}

function bodiesOf(count, round, serializer) {
  return Array.from(batches(count, round), (spans) => Buffer.from(serializer.serializeRequest(spans)));
}

/** Processor seconds of a process so far, in steps of 10 ms. */
function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function post(url, body, type) {
  const sent = request(`${url}/v1/traces`, {
    method: 'POST',
    agent,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': type, 'content-length': body.length },
  });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  answer.resume();
  await once(answer, 'end');
  if (answer.statusCode !== 200) throw new Error(`spans are refused: ${answer.statusCode}`);
}

async function received(service, bodies, type, count) {
  const [began, computed] = [performance.now(), processorSeconds(service.pid)];
  for (const body of bodies) await post(service.url, body, type);
  const seconds = (performance.now() - began) / 1000;
  return { rate: count / seconds, spent: ((processorSeconds(service.pid) - computed) / count) * 1e6 };
}

/** One process that parses what it is given, and nothing else. */
class Parser {
  #child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--parse'], { stdio: ['pipe', 'pipe', 'inherit'] });

  async measure(bodies, count) {
    const head = Buffer.alloc(4);
    head.writeUInt32LE(bodies.length);
    this.#child.stdin.write(head);
    for (const body of bodies) {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(body.length);
      this.#child.stdin.write(length);
      if (!this.#child.stdin.write(body)) await once(this.#child.stdin, 'drain');
    }
    const [text] = await once(this.#child.stdout, 'data');
    const { seconds, processor } = JSON.parse(String(text));
    return { rate: count / seconds, spent: (processor / count) * 1e6 };
  }

  end() {
    this.#child.stdin.end();
  }
}

/** The other side: all bytes are here before the clock starts. */
async function parseOnly() {
  let buffer = Buffer.alloc(0);
  const chunks = process.stdin[Symbol.asyncIterator]();
  const take = async (length) => {
    const parts = [buffer];
    let has = buffer.length;
    while (has < length) {
      const { value, done } = await chunks.next();
      if (done) return undefined;
      parts.push(value);
      has += value.length;
    }
    const whole = parts.length === 1 ? buffer : Buffer.concat(parts);
    buffer = whole.subarray(length);
    return whole.subarray(0, length);
  };
  for (;;) {
    const head = await take(4);
    if (head === undefined) return;
    const bodies = [];
    for (let left = head.readUInt32LE(); left > 0; left--)
      bodies.push(Buffer.from(await take((await take(4)).readUInt32LE())));
    const before = process.cpuUsage();
    const began = performance.now();
    let spans = 0;
    for (const body of bodies) spans += JSON.parse(body.toString('utf8')).resourceSpans.length;
    const seconds = (performance.now() - began) / 1000;
    const { user, system } = process.cpuUsage(before);
    process.stdout.write(JSON.stringify({ seconds, processor: (user + system) / 1e6, spans }));
  }
}

/** Takes what was sent out of the service, which is empty then, as at the start of each measurement. */
async function forget(service, rounds) {
  for (const round of rounds) {
    await fetch(`${service.url}/api/sessions/session-${round}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
  }
  await pause(500);
}

async function api(service, path) {
  const answer = await service.get(path);
  return answer.json();
}

/** All traces that are there, and how many of them lack spans. */
async function traces(service) {
  const rows = [];
  for (let before = ''; ; ) {
    const page = await api(service, `/api/turns?limit=1000${before}`);
    rows.push(...page.rows);
    if (page.next === null) break;
    before = `&before=${encodeURIComponent(page.next)}`;
  }
  return {
    whole: rows.filter(({ spans }) => spans === TRACE).length,
    torn: rows.filter(({ spans }) => spans !== TRACE).length,
  };
}

async function withService(job) {
  const folder = mkdtempSync(join(tmpdir(), 'ho-receive-'));
  const service = new ServeCommand(folder);
  try {
    return await job(await service.start());
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Resident MiB of a service of its own after so many spans of a kind. */
const memoryAfter = (count, serializer, type) =>
  withService(async (service) => {
    for (const body of bodiesOf(count, 1, serializer)) await post(service.url, body, type);
    await pause(1500);
    return service.residentBytes / 2 ** 20;
  });

export async function receiverCost({ spans = 50_000, rounds = 5 } = {}) {
  const parser = new Parser();
  const samples = { parse: [], json: [], protobuf: [] };
  const { evicted, torn } = await withService(async (service) => {
    for (let round = 0; round <= rounds; round++) {
      const json = bodiesOf(spans, 2 * round + 1, JsonTraceSerializer);
      const protobuf = bodiesOf(spans, 2 * round + 2, ProtobufTraceSerializer);
      const jobs = [
        async () => ['parse', await parser.measure(json, spans)],
        async () => ['json', await received(service, json, 'application/json', spans)],
        async () => ['protobuf', await received(service, protobuf, 'application/x-protobuf', spans)],
      ];
      for (const job of jobs.sort(() => Math.random() - 0.5)) {
        const [name, sample] = await job();
        // The first ones warm up.
        if (round > 0) samples[name].push(sample);
        await forget(service, [2 * round + 1, 2 * round + 2]);
      }
    }
    // More than there is room for.
    for (let sent = 0, round = 1_000; sent < 2 * MOST_SPANS; sent += spans, round++) {
      const bodies = bodiesOf(spans, round, ProtobufTraceSerializer);
      for (const body of bodies) await post(service.url, body, 'application/x-protobuf');
    }
    const { store } = await api(service, '/api/health');
    return { evicted: store.evictedSpans, torn: (await traces(service)).torn };
  });
  parser.end();
  const best = (name) => ({
    name,
    rate: Math.max(...samples[name].map(({ rate }) => rate)),
    spent: Math.min(...samples[name].map(({ spent }) => spent)),
  });
  const [parse, json, protobuf] = ['parse', 'json', 'protobuf'].map(best);
  return {
    rows: [parse, json, protobuf],
    jsonBesideParse: parse.spent / json.spent,
    protobufBesideJson: json.spent / protobuf.spent,
    evictedSpans: evicted,
    tornTraces: torn,
    jsonMebibytes: await memoryAfter(spans, JsonTraceSerializer, 'application/json'),
    protobufMebibytes: await memoryAfter(spans, ProtobufTraceSerializer, 'application/x-protobuf'),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === '--parse') await parseOnly();
  else {
    const [spans = 50_000, rounds = 5] = process.argv.slice(2).map(Number);
    const { rows, ...figures } = await receiverCost({ spans, rounds });
    console.table(
      rows.map(({ name, rate, spent }) => ({
        name,
        'spans a second': Math.round(rate),
        'processor µs a span': spent.toFixed(2),
      })),
    );
    console.table(figures);
  }
  agent.destroy();
}
