// Serves the built page with fixtures, as the service would: `node dev/serve.mjs [folder of OTLP files] [port]`.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describeTrace } from './columns.mjs';
import { generateTurn } from './generate.mjs';
import { HEALTH } from './health.mjs';
import { hostileTurn } from './hostile.mjs';
import { readOtlp } from './read-otlp.mjs';

const PAGE = fileURLToPath(new URL('../dist/', import.meta.url));
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** @returns the listening server, and `traces` for tests to change. */
export async function serveFixtures({ folder, port = 0, many = 0 } = {}) {
  const files = folder
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => join(folder, name))
    : [];
  const traces = readOtlp(files);
  for (const size of [100, 1000, 20000]) traces.set(generateTurn(size)[0].trace, generateTurn(size));
  const live = generateTurn(14, { running: true, seed: 7 });
  traces.set(live[0].trace, live);
  const hostile = hostileTurn();
  traces.set(hostile[0].trace, hostile);
  const described = new Map();
  const describe = (trace) => {
    const spans = traces.get(trace);
    if (spans === undefined) return undefined;
    const known = described.get(trace);
    if (known?.count === spans.length && known.turn.row.duration !== null) return known.turn;
    const turn = describeTrace(spans);
    described.set(trace, { count: spans.length, turn });
    return turn;
  };
  const extra = manyRows(many, describe);
  const rows = () =>
    [...[...traces.keys()].map((trace) => describe(trace).row), ...extra].sort(
      (a, b) =>
        Number(a.duration !== null) - Number(b.duration !== null) || (BigInt(b.start) > BigInt(a.start) ? 1 : -1),
    );

  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    const send = (status, type, body, more = {}) => {
      const zipped = /gzip/.test(request.headers['accept-encoding'] ?? '') && body.length > 1000;
      response.writeHead(status, {
        'content-type': type,
        'content-security-policy': CSP,
        'x-content-type-options': 'nosniff',
        ...(zipped ? { 'content-encoding': 'gzip' } : {}),
        ...more,
      });
      response.end(zipped ? gzipSync(body, { level: 6 }) : body);
    };
    const json = (value, status = 200) =>
      send(status, 'application/json', JSON.stringify(value), { 'cache-control': 'no-store' });
    const path = url.pathname;
    const one = /^\/api\/turns\/([0-9a-f]+)(?:\/(spans|records)\/?([0-9a-f]*))?$/.exec(path);
    if (path === '/api/turns') return json(listed(rows(), url.searchParams));
    if (one) {
      const turn = describe(one[1]);
      if (turn === undefined) return json({ error: { code: 'HO_NOT_FOUND', message: 'no such turn' } }, 404);
      if (one[2] === undefined) return json(turn);
      const span = traces.get(one[1]).find(({ id }) => id === one[3]);
      if (span === undefined) return json({ error: { code: 'HO_NOT_FOUND', message: 'nothing here' } }, 404);
      return json({
        ...span,
        start: String(span.start),
        end: span.end === null ? null : String(span.end),
        kind: turn.spans.kind[turn.spans.id.indexOf(span.id)],
        records: [],
        by: span.attributes['hermes.tool.blocked_by'] ?? null,
        why: null,
        truncated: false,
      });
    }
    if (path === '/api/health') return json(HEALTH);
    if (path === '/api/live') return liveStream(request, response, server);
    if (request.method === 'DELETE') return json({ turns: 1 });
    const file = normalize(join(PAGE, path));
    const found = file.startsWith(PAGE) && extname(file) !== '' && existsSync(file);
    if (extname(path) !== '' && !found) return send(404, 'text/plain', 'not here');
    const target = found ? file : join(PAGE, 'index.html');
    send(200, TYPES[extname(target)] ?? 'application/octet-stream', readFileSync(target));
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { server, traces, describe, url: `http://127.0.0.1:${server.address().port}` };
}

function liveStream(request, response, server) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write(': open\n\n');
  const push = (event, data) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  server.on('push', push);
  request.on('close', () => server.off('push', push));
}

function listed(all, query) {
  const has = (name) => (query.get(name) ?? '') !== '';
  const found = all.filter(
    (row) =>
      (!has('outcome') ||
        query.get('outcome').split(',').includes(row.outcome) ||
        (query.get('outcome') === 'blocked' && row.blocked > 0)) &&
      (!has('agent') || row.agent === query.get('agent')) &&
      (!has('model') || row.model === query.get('model')) &&
      (!has('text') || JSON.stringify(row).toLowerCase().includes(query.get('text').toLowerCase())),
  );
  const limit = Number(query.get('limit') ?? 200);
  const from = Number(query.get('before') ?? 0);
  const next = from + limit < found.length ? String(from + limit) : null;
  return { rows: found.slice(from, from + limit), next, total: found.length, at: 1 };
}

function manyRows(count, describe) {
  if (count === 0) return [];
  const { row } = describe(generateTurn(100)[0].trace);
  return Array.from({ length: count }, (_, index) => ({
    ...row,
    trace: `aa${index.toString(16).padStart(30, '0')}`,
    start: String(BigInt(row.start) - BigInt(index + 1) * 60_000_000_000n),
    excerpt: `Generated turn ${index}`,
    blocked: index % 40 === 0 ? 1 : 0,
    blockedCalls: index % 40 === 0 ? row.blockedCalls : [],
    errors: index % 9 === 0 ? 1 : 0,
  }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await serveFixtures({ folder: process.argv[2], port: Number(process.argv[3] ?? 4899), many: 5000 });
  console.log(url);
}
