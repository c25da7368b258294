import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../config/load-config.js';
import { eventually } from '../listeners/memory-service.test-support.js';
import { demoPath } from './demo.js';
import { viewerLines } from './viewer-lines.js';

const BIN = fileURLToPath(new URL('../../bin/hermes-observer.js', import.meta.url));
const NDJSON = { 'content-type': 'application/x-ndjson' };

let folder: string;
let env: Record<string, string>;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'viewer-'));
  const data = join(folder, 'data');
  env = { PATH: process.env.PATH ?? '', HOME: folder, HERMES_OBSERVER_DATA: data, HERMES_OBSERVER_HTTP_PORT: '0' };
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function serve(...args: string[]) {
  const child = spawn(process.execPath, [BIN, 'serve', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said.text += chunk;
    });
  }
  await eventually(() => said.text.includes('exporters '));
  const url = /^http +(http[^,]+)/m.exec(said.text)?.[1] as string;
  const token = readFileSync(join(folder, 'data/token'), 'utf8').trim();
  return { child, said, url, token, headers: { authorization: `Bearer ${token}` } };
}

const view = (...args: string[]) => ran('view', ...args);

const ran = (...args: string[]) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [BIN, ...args], { env: { ...env, CI: '1' } }, (error, out, err) =>
      resolve({ code: (error?.code as number | undefined) ?? 0, out, err }),
    );
  });

/** A port that is free for now. */
async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

describe('serve with its viewer', () => {
  it('is what it was in a shell that has the variables it prints for programs, and so is check', async () => {
    const port = await freePort();
    Object.assign(env, { HERMES_OBSERVER_HTTP_PORT: port, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    const { said, url, headers } = await serve();
    await eventually(() => said.text.includes('OTEL_EXPORTER_OTLP_ENDPOINT is ignored: it names this service itself'));
    const span = {
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      name: 'x',
      startTimeUnixNano: '1',
      endTimeUnixNano: '2',
    };
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    await fetch(`${url}/v1/traces`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    const checked = await ran('check');
    expect(checked.out).toContain('1 span of other programs came over OTLP since the service started');
    expect(checked.out).toContain('OTEL_EXPORTER_OTLP_ENDPOINT names this service itself');
    expect(checked.out).not.toMatch(/does not send to otlp|never had a record/);
  });

  it('shows a recording that is killed under it, and tells the token to view alone', async () => {
    const first = await serve();
    const body = readFileSync(demoPath('d-tool-blocked-by-plugin.ndjson'));
    await fetch(`${first.url}/v1/records`, { method: 'POST', headers: { ...first.headers, ...NDJSON }, body });
    const rows = async ({ url, headers }: typeof first) => {
      const list = (await (await fetch(`${url}/api/turns`, { headers })).json()) as {
        rows: { blockedCalls: object[] }[];
      };
      return list.rows;
    };
    const shown = async (running: typeof first) => {
      for (let i = 0; i < 100; i++) {
        const [row] = await rows(running);
        if (row?.blockedCalls.length === 1) return row;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error('no row in 5 s');
    };
    expect(await shown(first)).toMatchObject({
      outcome: 'completed',
      blockedCalls: [{ name: 'terminal', by: 'a plugin' }],
    });
    const { code, out } = await view();
    expect([code, out]).toEqual([0, `${first.url}/?token=${first.token}\n`]);
    const entry = await fetch(out.trim(), { redirect: 'manual' });
    expect([entry.status, entry.headers.get('location')]).toEqual([303, '/']);
    first.child.kill('SIGKILL');
    await new Promise((resolve) => first.child.once('close', resolve));
    const second = await serve();
    expect(await shown(second)).toMatchObject({ outcome: 'completed' });
    for (const { said } of [first, second]) expect(said.text).not.toContain(first.token);
    second.child.kill('SIGTERM');
    expect(await new Promise((resolve) => second.child.once('close', resolve))).toBe(0);
    expect(await view()).toMatchObject({ code: 1, out: '', err: expect.stringContaining('no service answers') });
  });

  it('is found by --data and --socket, as check and policy find it', async () => {
    const [data, socket] = [join(folder, 'data'), join(folder, 'own.sock')];
    const { url, token } = await serve('--socket', socket);
    delete env.HERMES_OBSERVER_DATA;
    expect(await view()).toMatchObject({ code: 1, err: expect.stringContaining('with --data or --socket') });
    expect(await view('--data', data, '--socket', socket)).toMatchObject({ code: 0, out: `${url}/?token=${token}\n` });
    expect(await view('x.ndjson', '--data', data)).toMatchObject({ code: 2, out: '' });
  });

  it('has no page and takes no spans when it is off', async () => {
    const { url, headers, said } = await serve('--viewer', 'off');
    for (const path of ['/', '/api/turns', '/v1/traces']) {
      expect((await fetch(`${url}${path}`, { headers })).status).toBe(404);
    }
    expect(said.text).not.toMatch(/^viewer /m);
    expect(await view()).toMatchObject({ code: 1, out: '', err: expect.stringContaining('has no page') });
  });
});

describe('what serve says of it', () => {
  const config = (values: object, token = 'default') =>
    ({ values: { data: "/a folder's", ...values }, origins: { token } }) as unknown as Config;

  it('has the token on a terminal only, and lines that a shell takes', () => {
    const mine = config({ token: 'a-token-of-the-test' }, 'HERMES_OBSERVER_TOKEN');
    expect(viewerLines('http://h:1', mine, true)[0]).toContain('http://h:1/?token=a-token-of-the-test');
    const kept = viewerLines('http://h:1', mine, false);
    expect(kept.join('\n')).not.toContain('a-token-of-the-test');
    expect(kept.at(-1)).toBe('  export OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20$HERMES_OBSERVER_TOKEN"');
    expect(viewerLines('http://h:1', config({}), false).at(-1)).toContain("$(head -n 1 '/a folder'\\''s/token')");
  });
});
