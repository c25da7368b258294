// Records a second from the socket of the real `hermes-observer serve` to spans that a backend has taken, journal on, beside
// one process that only parses the same lines. This process feeds, and is the backend. With less than some hundred megabytes
// it is the warming up of V8 that is measured.
//
// node bench/serve-rate.mjs [megabytes] [rounds]
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServeCommand } from '../e2e/kill/serve-command.mjs';
import { quantiles } from './interleave.mjs';
import { enlarge, PARSE_ONLY, RECORDINGS } from './replay-rate.mjs';

const LOOK_MILLIS = 20;
const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** A backend that reads what comes and says yes. */
async function sink() {
  const server = createServer((request, response) => {
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()).resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Sends the file as fast as it is taken. Resolves when the service has read and answered all of it. */
async function feed(file, path) {
  const socket = connect(path);
  await once(socket, 'connect');
  let isPaused = false;
  const source = createReadStream(file, { highWaterMark: 256 * 1024 });
  socket.setEncoding('utf8').on('data', (text) => {
    for (const [, told] of text.matchAll(/"pause":(true|false)/g)) isPaused = told === 'true';
  });
  for await (const chunk of source) {
    while (isPaused) await pause(1);
    if (!socket.write(chunk)) await once(socket, 'drain');
  }
  socket.end();
  await once(socket, 'close');
}

/** Processor seconds of a process so far: what it computes, apart from what else the machine does. */
function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function served(file, records, url) {
  const folder = mkdtempSync(join(tmpdir(), 'serve-rate-'));
  const service = new ServeCommand(folder, {
    config: { exporters: [{ name: 'sink', url }], viewer: false, journal: { max_bytes: '8GB' } },
  });
  try {
    await service.start();
    const [began, computed] = [performance.now(), processorSeconds(service.pid)];
    await feed(file, service.socket);
    let metrics;
    do {
      await pause(LOOK_MILLIS);
      metrics = await service.metrics();
    } while (['spool_spans', 'journal_lag_records'].some((name) => metrics.value(name) > 0));
    const seconds = (performance.now() - began) / 1000;
    const taken = metrics.value('records');
    if (taken !== records) throw new Error(`${taken} of ${records} records taken`);
    return {
      seconds,
      computed: processorSeconds(service.pid) - computed,
      spans: metrics.value('exported_spans'),
      rss: service.residentBytes,
    };
  } finally {
    if (service.isRunning) await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const PARSE_TIMED =
  PARSE_ONLY.replace('let records = 0;', 'let records = 0; const began = performance.now();') +
  "lines.on('close', () => { const { user, system } = process.cpuUsage(); console.log((performance.now() - began) / 1000, (user + system) / 1e6); });";

/** Seconds by the clock, and of the processor. */
function parsed(file) {
  const { stdout } = spawnSync(process.execPath, ['-e', PARSE_TIMED, file], { encoding: 'utf8' });
  return stdout.trim().split(' ').map(Number);
}

export async function serveRate({ rounds = 3, megabytes = 400 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'serve-rate-'));
  const server = await sink();
  const url = `http://127.0.0.1:${server.address().port}/v1/traces`;
  const rows = [];
  try {
    for (const recording of Object.keys(RECORDINGS)) {
      const { file, records } = enlarge(recording, megabytes, folder);
      const parse = [];
      const serve = [];
      for (let round = 0; round < rounds; round++) {
        parse.push(parsed(file));
        serve.push(await served(file, records, url));
      }
      const last = serve.at(-1);
      const through = quantiles(serve.map(({ seconds }) => seconds)).median;
      const only = quantiles(parse.map(([seconds]) => seconds)).median;
      rows.push({
        recording,
        records,
        spans: last.spans,
        parsedPerSecond: Math.round(records / only),
        servedPerSecond: Math.round(records / through),
        ratio: Number((only / through).toFixed(3)),
        processorRatio: Number(
          (
            quantiles(parse.map(([, computed]) => computed)).median /
            quantiles(serve.map(({ computed }) => computed)).median
          ).toFixed(3),
        ),
        rssMiB: Math.round(last.rss / 2 ** 20),
      });
    }
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [megabytes = 400, rounds = 3] = process.argv.slice(2).map(Number);
  console.table(await serveRate({ megabytes, rounds }));
}
