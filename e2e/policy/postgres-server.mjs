// A PostgreSQL server of its own in a folder that goes with it. Prints one line of JSON, `{ "url" }` or `{ "skip": why }`, and
// ends the server when its standard input is closed. A line `restart` there restarts it, `restarted` says that it has.
//
// node e2e/policy/postgres-server.mjs [--install]     --install: from the distribution, where it is not there
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const DEBIAN = '/usr/lib/postgresql';

/** Folder of `initdb` and `postgres`: the newest of the distribution's, or that of the path. */
function findPrograms() {
  if (existsSync(DEBIAN)) {
    const versions = readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a));
    const folder = versions
      .map((version) => join(DEBIAN, version, 'bin'))
      .find((bin) => existsSync(join(bin, 'initdb')));
    if (folder !== undefined) return folder;
  }
  return (process.env.PATH ?? '').split(':').find((folder) => existsSync(join(folder, 'initdb')));
}

function install() {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return;
  console.error('no PostgreSQL here: apt-get install postgresql');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '--no-install-recommends', 'postgresql']]) {
    spawnSync('apt-get', ['-qq', '-y', ...args], { env, stdio: ['ignore', 'ignore', 'inherit'], timeout: 300_000 });
  }
}

/** It refuses to run as root: then it runs as the user that its package made. */
function whoRuns() {
  if (process.getuid?.() !== 0) return {};
  const number = (kind) =>
    Number(spawnSync('id', [kind, 'postgres'], { encoding: 'utf8' }).stdout.trim() || Number.NaN);
  const [uid, gid] = [number('-u'), number('-g')];
  return Number.isInteger(uid) && uid > 0 ? { uid, gid } : undefined;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

if (findPrograms() === undefined && process.argv.includes('--install')) install();
const bin = findPrograms();
const user = whoRuns();
if (bin === undefined || user === undefined) {
  say({ skip: bin === undefined ? 'there is no PostgreSQL (initdb) here' : 'there is no user postgres to run it as' });
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
const data = join(folder, 'data');
const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', TZ: 'UTC' };
const made = spawnSync(join(bin, 'initdb'), ['-D', data, '-U', 'test', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
  ...user,
  env,
  cwd: folder,
  encoding: 'utf8',
});
if (made.status !== 0) {
  say({ skip: `initdb: ${made.error?.message ?? made.stderr.trim()}` });
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}
const port = await freePort();
const settings = `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\nshared_buffers = 16MB\nmax_connections = 100\n`;
writeFileSync(join(data, 'postgresql.auto.conf'), settings);
let server;
let isEnding = false;

async function start() {
  const log = [];
  server = spawn(join(bin, 'postgres'), ['-D', data], {
    ...user,
    env,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server.exited = new Promise((resolve) => server.once('exit', resolve));
  await new Promise((resolve) => {
    server.stderr.on('data', (chunk) => {
      log.push(String(chunk));
      if (log.length > 50) log.shift();
      if (log.join('').includes('ready to accept connections')) resolve();
    });
    server.once('exit', () => {
      if (!isEnding) say({ skip: `PostgreSQL ended: ${log.join('').slice(-500)}` });
      resolve();
    });
  });
}

async function end(signal) {
  isEnding = true;
  server.kill(signal);
  await server.exited;
  isEnding = false;
}

process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
await start();
say({ url: `postgres://test@127.0.0.1:${port}/postgres` });
for await (const line of createInterface({ input: process.stdin })) {
  if (line !== 'restart') continue;
  // Immediate shutdown, as by a crash: it recovers at the start.
  await end('SIGQUIT');
  await start();
  say({ restarted: true });
}
await end('SIGQUIT');
rmSync(folder, { recursive: true, force: true });
