import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePorts } from '../jaeger/free-ports.js';
import { runCommand, TOP } from '../run-command.js';
import { Agent } from './agent.js';
import { RELEASES } from './scenarios.js';

const section = /## Your Hermes Agent\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(
  readFileSync(join(TOP, 'README.md'), 'utf8'),
)?.[1];
const [release] = RELEASES;

let home: string;
let model: ReturnType<typeof spawn>;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'start-'));
  model = spawn('python3', [join(TOP, 'e2e/agent/mock_llm.py')], { stdio: ['ignore', 'pipe', 'ignore'] });
  const port = await new Promise<string>((resolve) =>
    model.stdout?.once('data', (data) => resolve(String(data).trim())),
  );
  mkdirSync(join(home, '.hermes'));
  const config = [
    'model:',
    '  provider: custom',
    '  default: mock-large',
    `  base_url: http://127.0.0.1:${port}/v1`,
    '  api_key: mock-key',
    'updates: { check: false }',
    'telemetry: { shared_metrics: { enabled: false, send: false, offer_version: 2 } }',
    '',
  ];
  writeFileSync(join(home, '.hermes/config.yaml'), config.join('\n'));
}, 60_000);
afterAll(() => {
  model?.kill();
  rmSync(home, { recursive: true, force: true });
});

it('the quick start of the README, as written, from a clone to a trace in the terminal', async () => {
  if (section === undefined || release === undefined) throw new Error('README.md has no quick start');
  expect(section.trim().split('\n').length).toBeLessThanOrEqual(5);
  const agent = await Agent.install(release, process.env.E2E_PROGRAMS ?? '');
  const clone = join(home, 'clone');
  expect((await runCommand('git', ['clone', '--quiet', TOP, clone])).code).toBe(0);
  const { HTTP } = await freePorts(['HTTP']);
  const { code, stdout, stderr } = await runCommand('bash', ['-e', '-c', `${section}\nkill %1\nwait %1 || true`], {
    cwd: clone,
    env: {
      HOME: home,
      HERMES_HOME: join(home, '.hermes'),
      XDG_STATE_HOME: '',
      XDG_RUNTIME_DIR: '',
      XDG_CONFIG_HOME: '',
      HERMES_OBSERVER_HTTP_PORT: HTTP,
      PATH: `${agent.bin}${delimiter}${process.env.PATH}`,
    },
  });
  expect(code, stderr).toBe(0);
  expect(stdout, stderr).toMatch(/invoke_agent hermes +completed/);
  expect(stdout).toMatch(/chat mock-large/);
}, 300_000);
