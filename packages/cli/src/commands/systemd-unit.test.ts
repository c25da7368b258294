import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { SETTINGS } from '../config/settings.js';

const UNIT = fileURLToPath(new URL('../../../../docs/hermes-observer.service', import.meta.url));
const text = readFileSync(UNIT, 'utf8');
const settingOf = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1];

it('the unit gives the service the time and the files it needs', () => {
  const serve = readFileSync(new URL('./serve.ts', import.meta.url), 'utf8');
  const stopSeconds = Number(/STOP_MILLIS = (\d+)_000/.exec(serve)?.[1]);
  expect(stopSeconds).toBeGreaterThan(0);
  expect(Number(settingOf('TimeoutStopSec'))).toBeGreaterThan(stopSeconds);
  // Sockets and HTTP have as many connections each.
  expect(Number(settingOf('LimitNOFILE'))).toBeGreaterThan(3 * SETTINGS['limits.connections'].preset);
  expect(settingOf('ExecStart')).toMatch(/ hermes-observer serve$/);
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it.skipIf(!hasSystemd)('systemd takes the unit without a remark', () => {
  const runtime = mkdtempSync(join(tmpdir(), 'unit-'));
  const { status, stderr } = spawnSync('systemd-analyze', ['--user', 'verify', UNIT], {
    encoding: 'utf8',
    env: { ...process.env, XDG_RUNTIME_DIR: runtime },
  });
  rmSync(runtime, { recursive: true });
  expect([status, stderr]).toEqual([0, '']);
});
