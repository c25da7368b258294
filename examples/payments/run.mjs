// Payments over a limit wait for a person. Starts the service with policy.yaml, lets an agent pay, and shows the trace.
//
//   node examples/payments/run.mjs [folder for its data]
//
// Answer at this terminal, on the page whose address is printed, or from another terminal by the command that is printed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runAgent } from './agent.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const BIN = here('../../packages/cli/bin/hermes-observer.js');
const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'payments-'));
mkdirSync(folder, { recursive: true });
const [socket, ledger, spans] = ['s.sock', 'ledger.ndjson', 'spans.jsonl'].map((name) => join(folder, name));
const places = ['--data', join(folder, 'data'), '--socket', socket, '--policy', here('policy.yaml')];

const args = ['serve', ...places, '--port', '0', '--capture', 'full', '--otlp-file', spans];
const service = spawn(process.execPath, [BIN, ...args], { stdio: ['inherit', 'pipe', 'inherit'] });
const ended = new Promise((resolve) => service.once('exit', resolve));
service.once('exit', (code) => {
  if (code !== 0) process.exit(1);
});
// Where everything is, and then it is ready.
await new Promise((resolve) => {
  service.stdout.on('data', (text) => {
    process.stdout.write(text);
    if (/^exporter /m.test(text)) resolve();
  });
});

console.log('');
await runAgent(socket, ledger, (line) => console.log(line));

while (!existsSync(spans) || !readFileSync(spans, 'utf8').includes('invoke_agent')) await wait(50);
console.log('');
spawnSync(process.execPath, [BIN, 'view', spans], { stdio: 'inherit' });
spawnSync(process.execPath, [BIN, 'policy', 'verify-audit', ...places], { stdio: 'inherit' });
if (process.stdin.isTTY) {
  const view = ['node', BIN, 'view', ...places.slice(0, 4)]
    .map((word) => (/\s/.test(word) ? `'${word}'` : word))
    .join(' ');
  console.log(`\nThe viewer has it too: ${view}. Ctrl-C ends the service.`);
  process.once('SIGINT', () => undefined);
} else service.kill('SIGTERM');
await ended;
