import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { connectionLimit } from './connection-limit.js';

const COMMAND = fileURLToPath(new URL('../../bin/hermes-observer.js', import.meta.url));
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

it('leaves files for the journal and the spools', () => {
  expect(connectionLimit(1024, 1, 1_048_576)).toBe(1024);
  expect(connectionLimit(1024, 1, 1024)).toBe(492);
  expect(connectionLimit(1024, 16, 64)).toBe(4);
  expect(connectionLimit(8, 0, Number.POSITIVE_INFINITY)).toBe(8);
});

it.skipIf(process.platform !== 'linux')(
  'records are acknowledged in a service that may open 160 files and has 300 clients',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'few-'));
    const path = join(folder, 'o.sock');
    const args = ['serve', '--data', join(folder, 'data'), '--socket', path, '--port', '0'];
    const service = spawn('sh', ['-c', `ulimit -n 160; exec "$0" "$@"`, process.execPath, COMMAND, ...args], {
      env: { PATH: process.env.PATH, HOME: folder, HERMES_OBSERVER_JOURNAL_HISTORY: 'off' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let log = '';
    service.stderr.on('data', (chunk) => {
      log += chunk;
    });
    const clients: Socket[] = [];
    try {
      while (spawnSync('test', ['-S', path]).status !== 0) await pause(50);
      for (let i = 0; i < 300; i++) clients.push(connect(path).on('error', () => {}));
      await pause(300);
      const one = connect(path);
      clients.push(one);
      one.setEncoding('utf8');
      let answer = '';
      one.on('data', (text) => {
        answer += text;
      });
      const record = {
        hook: 'x',
        time_unix_nano: '1795988098362505307',
        producer: 'p',
        payload: { a: 'b'.repeat(9_000) },
      };
      for (let seq = 1; seq <= 3; seq++) one.write(`${JSON.stringify({ ...record, seq })}\n`);
      const end = performance.now() + 10_000;
      while (!answer.includes('"seq":3') && performance.now() < end) await pause(20);
      expect(answer).toContain('{"ack":{"producer":"p","seq":3}}');
      expect(log).not.toContain('EMFILE');
    } finally {
      for (const client of clients) client.destroy();
      service.kill('SIGKILL');
      await once(service, 'exit');
      rmSync(folder, { recursive: true });
    }
  },
);
