import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config/load-config.js';
import { endpointFindings } from './endpoint-findings.js';
import type { Finding } from './finding.js';
import { signalFindings } from './signal-findings.js';

let folder: string;
let ends: (() => void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'probe-'));
  ends = [() => rmSync(folder, { recursive: true })];
});
afterEach(() => {
  for (const end of ends) end();
});

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers all with a status, and keeps type and body of what came. */
const backend = (status: number, seen: [type: unknown, body: string][] = []) =>
  listening(
    createServer(async (request, response) => {
      seen.push([request.headers['content-type'], await text(request)]);
      response.writeHead(status).end();
    }),
  );

function load(settings: object) {
  const file = join(folder, 'config.yaml');
  writeFileSync(file, JSON.stringify(settings));
  return loadConfig({ file, env: { HOME: folder } });
}

const ofExporters = async (...exporters: object[]) => endpointFindings(await load({ exporters }), undefined);

const short = (findings: readonly Finding[]) => findings.map(({ level, text }) => [level, text]);

describe('a backend', () => {
  it('that takes protobuf alone gets protobuf', async () => {
    const seen: [unknown, string][] = [];
    const url = await backend(200, seen);
    expect(short(await ofExporters({ name: 'px', kind: 'phoenix', url }))).toEqual([
      ['ok', `px (${url}/v1/traces) takes spans`],
    ]);
    const [[type, body] = []] = seen;
    expect(type).toBe('application/x-protobuf');
    expect(body).toContain('hermes-observer check');
    expect(() => JSON.parse(body ?? '')).toThrow(SyntaxError);
  });

  it('that takes JSON gets JSON', async () => {
    const seen: [unknown, string][] = [];
    await ofExporters({ name: 'otlp', url: await backend(200, seen) });
    const [[type, body = ''] = []] = seen;
    expect(type).toBe('application/json');
    const [{ resource, scopeSpans }] = JSON.parse(body).resourceSpans;
    expect(JSON.stringify(resource)).toContain('hermes-observer-check');
    expect(scopeSpans[0].spans).toHaveLength(1);
  });

  it('is none where a page answers', async () => {
    const url = await listening(createServer((_, response) => response.end('<!doctype html>')));
    expect(short(await ofExporters({ name: 'px', kind: 'phoenix', url }))).toEqual([
      ['fault', expect.stringContaining('not as a receiver of OTLP does')],
    ]);
  });

  it('is told of with the keys that it knows its users by', async () => {
    const url = await backend(401);
    const langfuse = { name: 'lf', kind: 'langfuse', url, public_key: 'a', secret_key: 'b' };
    const findings = await ofExporters(langfuse, { name: 'px', kind: 'phoenix', url }, { name: 'own', url });
    expect(findings.map(({ mend }) => mend)).toEqual([
      expect.stringContaining(
        'set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, or public_key and secret_key of exporter lf',
      ),
      expect.stringContaining('set PHOENIX_API_KEY, or api_key of exporter px'),
      expect.stringContaining('set headers of exporter own'),
    ]);
  });
});

describe('receivers of metrics and log records', () => {
  it('get an empty request each, as the service encodes it', async () => {
    const seen: [unknown, string][] = [];
    const url = await backend(200, seen);
    expect(short(await signalFindings(await load({ metrics: { url }, logs: { url } })))).toEqual([
      ['ok', `metrics (${url}/v1/metrics) takes metrics`],
      ['ok', `logs (${url}/v1/logs) takes log records`],
    ]);
    expect(seen.sort()).toEqual([
      ['application/json', '{"resourceLogs":[]}'],
      ['application/x-protobuf', ''],
    ]);
  });

  it('are told of with what to do', async () => {
    const [missing, closed] = [await backend(404), await backend(401)];
    const findings = await signalFindings(await load({ metrics: { url: missing }, logs: { url: closed } }));
    expect(short(findings)).toEqual([
      ['fault', expect.stringContaining('takes no metrics at this address (HTTP 404)')],
      ['fault', expect.stringContaining('asks for authentication (HTTP 401; no headers are set)')],
    ]);
    expect(findings.map(({ mend }) => mend)).toEqual([
      expect.stringContaining('no pipeline of metrics with the receiver otlp'),
      expect.stringContaining('set logs.headers in the configuration'),
    ]);
  });

  it('are not looked for where none are set', async () => {
    expect(await signalFindings(await load({ metrics: { prometheus: true } }))).toEqual([]);
  });
});
