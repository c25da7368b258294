import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runNode, TOP } from './run-command.js';
import { skipWith } from './skip-with.js';

const BIN = 'packages/cli/bin/hermes-observer.js';
const PYTHON = process.env.PYTHON ?? 'python3';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payments-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const policy = (name: string, args: readonly string[]) =>
  runNode([
    BIN,
    'policy',
    name,
    ...args,
    '--data',
    join(folder, 'data'),
    '--socket',
    join(folder, 's.sock'),
    '--policy',
    'examples/payments/policy.yaml',
  ]);

const ledger = () =>
  readFileSync(join(folder, 'ledger.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { amount: number }).amount);

interface Pending {
  readonly id: string;
  readonly digest: string;
}

/** The payment that waits, once it does. */
async function waiting(): Promise<Pending> {
  for (const until = Date.now() + 20_000; Date.now() < until; ) {
    const { code, stdout } = await policy('pending', ['--json']);
    const [first] = code === 0 ? (JSON.parse(stdout) as { pending: Pending[] }).pending : [];
    if (first !== undefined) return first;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('no payment waits');
}

const run = () => runNode(['examples/payments/run.mjs', folder]);

it('a payment over the limit waits for a command, runs once, and is in the trace with who was asked', async () => {
  const running = run();
  const { id, digest } = await waiting();
  expect(ledger()).toEqual([40]);
  expect(await policy('approve', [id, '--digest', digest])).toMatchObject({ code: 0 });
  const { code, stdout } = await running;
  expect(code).toBe(0);
  expect(ledger()).toEqual([40, 250]);
  expect(stdout).toContain('blocked (denied): The amount would be 5000, above the limit of 1000.');
  expect(stdout).toMatch(/policy SpendLimit: ask \(asked\)/);
  expect(stdout).toMatch(/approval pay +once by a person · SpendLimit/);
  expect(stdout).toMatch(/policy SpendLimit: deny \(denied\)/);
  expect(stdout).toMatch(/AuditLog: whole: 6 entries, the last 6 /);
});

it('nothing is paid where the service has no policy: that nobody objects is no decision', async () => {
  const args = ['--data', join(folder, 'data'), '--socket', join(folder, 's.sock'), '--port', '0'];
  const service = spawn(process.execPath, [BIN, 'serve', ...args], { cwd: TOP, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    await new Promise((resolve) => service.stdout.once('data', resolve));
    const program = `
      import { runAgent } from './examples/payments/agent.mjs';
      await runAgent(process.argv[1], process.argv[2], (line) => console.log(line));
    `;
    const places = [join(folder, 's.sock'), join(folder, 'ledger.ndjson')];
    const { code, stdout } = await runNode(['--input-type=module', '-e', program, ...places]);
    expect(code).toBe(0);
    expect(stdout.match(/blocked \(config_error\): The service has no policy\./g)).toHaveLength(3);
    expect(existsSync(places[1] ?? '')).toBe(false);
  } finally {
    service.kill('SIGTERM');
  }
});

it('refused on a page, it does not run; the viewer shows the turn while it waits', async () => {
  const running = run();
  const { id } = await waiting();
  const token = readFileSync(join(folder, 'data/token'), 'utf8').split('\n', 1)[0] ?? '';
  const authorization = `Bearer ${token}`;
  const { stdout: lines } = await runNode([
    BIN,
    'check',
    '--json',
    '--data',
    join(folder, 'data'),
    '--socket',
    join(folder, 's.sock'),
  ]);
  const url = /http:\/\/127\.0\.0\.1:(?!4890)\d+/.exec(lines)?.[0] ?? '';
  const turns = await (await fetch(`${url}/api/turns`, { headers: { authorization } })).text();
  expect(turns).toContain('payments-');
  const opened = await fetch(`${url}/approvals?token=${token}`, { redirect: 'manual' });
  const cookie = (opened.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const page = await (await fetch(`${url}/approvals/${id}`, { headers: { cookie } })).text();
  const code = /name="token" value="([\w-]+)"/.exec(page)?.[1] ?? '';
  const answer = await fetch(`${url}/approvals/${id}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: url, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token: code, choice: 'reject' }),
  });
  expect(answer.status).toBe(303);
  const { stdout } = await running;
  expect(ledger()).toEqual([40]);
  expect(stdout).toContain('blocked (denied): A person was asked and refused it.');
});

it('approved at the terminal that the service runs at', async (context) => {
  if (spawnSync(PYTHON, ['-c', 'import pty']).status !== 0) skipWith(context, `${PYTHON} has no pty`);
  const file = join(folder, 'out');
  const out = openSync(file, 'w');
  const steps = [['Reject) > ', 'y\n', 0.8]];
  const args = [
    'e2e/policy/channels/on-terminal.py',
    JSON.stringify({ stdin: '', steps }),
    process.execPath,
    'examples/payments/run.mjs',
    folder,
  ];
  const child = spawn(PYTHON, args, {
    cwd: TOP,
    stdio: ['ignore', 'pipe', 'inherit', out],
    env: { ...process.env, PROGRAM_OUT: '3' },
  });
  let seen = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    seen += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  closeSync(out);
  expect(seen).toContain('"amount": 250');
  expect(readFileSync(file, 'utf8')).toContain('paid 250 to Anna');
  expect(ledger()).toEqual([40, 250]);
});
