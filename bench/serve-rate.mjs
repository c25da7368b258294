// Records a second from lines to spans that a backend has taken, beside one process that only parses the same lines.
//
// node bench/serve-rate.mjs [megabytes] [rounds]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantiles } from './interleave.mjs';
import { enlarge, PARSE_ONLY, RECORDINGS } from './replay-rate.mjs';

const script = fileURLToPath(import.meta.url);

/** A backend that reads what comes and says yes. */
async function sink() {
  const server = createServer((request, response) => {
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}')).resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** In a process of its own: a file through a service to the backend. Prints seconds, from the first byte read on. */
async function serve(file, url) {
  const { Service } = await import('../packages/cli/dist/service/service.js');
  const { LineReader } = await import('../packages/cli/dist/listeners/line-reader.js');
  const dataFolder = mkdtempSync(join(tmpdir(), 'serve-rate-'));
  const service = await Service.open({
    dataFolder,
    exporters: [{ kind: 'http', name: 'sink', url }],
    onWarning: (text) => process.stderr.write(`${text}\n`),
  });
  const reader = new LineReader({ onOperation() {}, onProblem() {} }, 2 ** 26);
  const began = performance.now();
  const under = new Set();
  for await (const chunk of createReadStream(file)) {
    reader.push(chunk);
    const batch = reader.take();
    if (batch.records.length === 0) continue;
    const taken = service.take(batch).finally(() => under.delete(taken));
    under.add(taken);
    while (service.isPaused) await Promise.race([...under]);
  }
  await Promise.all(under);
  await service.settled();
  while (service.exporters()[0].waitingBytes > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const seconds = (performance.now() - began) / 1000;
  const [{ sentSpans }] = service.exporters();
  process.stdout.write(JSON.stringify({ seconds, sent: sentSpans, rss: process.resourceUsage().maxRSS }));
  await service.stop();
  rmSync(dataFolder, { recursive: true });
}

async function served(file, url) {
  const child = spawn(process.execPath, [script, '--serve', file, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  await once(child, 'close');
  return JSON.parse(text);
}

const PARSE_TIMED =
  PARSE_ONLY.replace('let records = 0;', 'let records = 0; const began = performance.now();') +
  "lines.on('close', () => console.log((performance.now() - began) / 1000));";

export async function serveRate({ rounds = 5, megabytes = 100 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'serve-rate-'));
  const server = await sink();
  const url = `http://127.0.0.1:${server.address().port}/v1/traces`;
  const rows = [];
  try {
    for (const recording of Object.keys(RECORDINGS)) {
      const { file, records } = enlarge(recording, megabytes, folder);
      const parse = [];
      const serve = [];
      let last;
      for (let round = 0; round < rounds; round++) {
        parse.push(Number(spawnSync(process.execPath, ['-e', PARSE_TIMED, file], { encoding: 'utf8' }).stdout));
        last = await served(file, url);
        serve.push(last.seconds);
      }
      const [parsed, through] = [quantiles(parse).median, quantiles(serve).median];
      rows.push({
        recording,
        records,
        spans: last.sent,
        parsedPerSecond: Math.round(records / parsed),
        servedPerSecond: Math.round(records / through),
        ratio: parsed / through,
        rssMiB: Math.round(last.rss / 1024),
      });
    }
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return rows;
}

const [flag, file, url] = process.argv.slice(2);
if (flag === '--serve') await serve(file, url);
else if (process.argv[1] === script)
  console.table(await serveRate({ megabytes: Number(flag ?? 100), rounds: Number(file ?? 5) }));
