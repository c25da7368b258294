import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ListenerLimits } from '../listener-context.js';
import {
  eventually,
  LineClient,
  line,
  MemoryService,
  privateFolder,
  storeFull,
} from '../memory-service.test-support.js';
import { SocketListener } from './socket-listener.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function open(limits: Partial<ListenerLimits> = {}) {
  const folder = privateFolder();
  const path = join(folder, 'run', 'observer.sock');
  const service = new MemoryService(limits);
  const listener = await SocketListener.open(path, service.context);
  ends.push(() => {
    listener.stop();
    listener.closeConnections();
    rmSync(folder, { recursive: true, force: true });
  });
  const client = () => {
    const made = new LineClient(path);
    ends.push(() => made.socket.destroy());
    return made;
  };
  return { folder, path, service, listener, client };
}

describe('records', () => {
  it('are acknowledged once they are taken, with the bytes that came', async () => {
    const { service, client } = await open();
    const one = client();
    const bytes = Buffer.from(`${line(1)}${line(2, { text: 'é文🌱' })}`);
    for (const byte of bytes) one.send(Buffer.from([byte]));
    await one.acked(2);
    expect(service.lines).toEqual(bytes.toString().trimEnd().split('\n'));
    expect(service.present).toEqual(new Set(['p']));
    one.socket.end();
    await one.closed;
    await eventually(() => service.present.size === 0);
  });

  it('that are nonsense are named by line, and the others are taken', async () => {
    const { service, client } = await open();
    const one = client();
    one.send(`\0\xff garbage\n[1]\n{"hook":"h"}\n\n${line(1)}{"op":"dance"}\n`);
    await one.acked(1);
    await one.until(({ error }) => (error as { line?: number })?.line === 6);
    expect(one.told.flatMap(({ error }) => (error as { code: string; line: number }) ?? [])).toMatchObject([
      { line: 1, code: 'HO_RECORD_NOT_JSON' },
      { line: 2, code: 'HO_RECORD_SHAPE' },
      { line: 3, code: 'HO_RECORD_SHAPE' },
      { line: 6, code: 'HO_REQUEST' },
    ]);
    expect(service.refusedLines).toHaveLength(4);
  });

  it('of a last line without newline are taken when the client ends, and then this side ends', async () => {
    const { service, client } = await open();
    const one = client();
    one.socket.end(line(1).trimEnd());
    await one.closed;
    expect(one.told).toEqual([{ ack: { producer: 'p', seq: 1 } }]);
    expect(service.lines).toHaveLength(1);
  });

  it('are acknowledged in order, and not after one batch failed', async () => {
    const { service, client } = await open();
    let release = () => {};
    service.hold = new Promise((resolve) => {
      release = resolve;
    });
    const one = client();
    one.send(line(1));
    await eventually(() => service.heldBytes > 0);
    service.failure = storeFull();
    one.send(line(2));
    await new Promise((resolve) => setTimeout(resolve, 50));
    service.failure = undefined;
    one.send(line(3));
    await new Promise((resolve) => setTimeout(resolve, 50));
    release();
    await one.closed;
    expect(one.told).toEqual([
      { ack: { producer: 'p', seq: 1 } },
      { error: { code: 'HO_STORE_FULL', message: 'the disk is full' } },
    ]);
  });

  it('of another version of the protocol are taken, with a word', async () => {
    const { service, client } = await open();
    const one = client();
    one.send(line(1, { protocol: 7 }).replace('pre_llm_call', 'observer_hello'));
    await one.acked(1);
    expect(one.told[0]).toMatchObject({ error: { code: 'HO_REQUEST', line: 1 } });
    expect(service.lines).toHaveLength(1);
  });
});

describe('operations', () => {
  it('ask is answered under its id', async () => {
    const { client } = await open();
    const one = client();
    one.send('{"op":"ask","id":"q1","hook":"pre_tool_call","payload":{"a":1},"deadline_ms":100}\n{"op":"ask"}\n');
    expect(await one.until((told) => told.answer === 'q1')).toMatchObject({ decision: 'allow', by: 'test' });
    await one.until(({ error }) => (error as { line?: number })?.line === 2);
  });

  it('sync is answered when what came before is on disk; status tells what there is', async () => {
    const { service, client } = await open();
    let release = () => {};
    service.hold = new Promise((resolve) => {
      release = resolve;
    });
    const one = client();
    one.send(`{"hook":"h","time_unix_nano":"1","payload":{}}\n{"op":"sync","id":5}\n{"op":"status","id":6}\n`);
    expect(await one.until(({ id }) => id === 6)).toMatchObject({ status: { protocol: 1, is_ready: true } });
    expect(one.told.some(({ synced }) => synced === 5)).toBe(false);
    release();
    await one.until(({ synced }) => synced === 5);
    expect(service.lines).toHaveLength(1);
  });

  it('pauses are told, also to who comes later', async () => {
    const { service, client } = await open();
    const one = client();
    one.send(line(1));
    await one.acked(1);
    service.pause(true);
    await one.until(({ pause }) => pause === true);
    const two = client();
    await two.until(({ pause }) => pause === true);
    service.pause(false);
    await two.until(({ pause }) => pause === false);
  });
});

describe('hostile clients', () => {
  it('a disk that is slow stops the reading, within the bound', async () => {
    const { service, client } = await open({ unacknowledgedBytes: 256 * 1024 });
    let release = () => {};
    service.hold = new Promise((resolve) => {
      release = resolve;
    });
    const one = client();
    const text = line(1, { text: 'x'.repeat(10_000) });
    for (let i = 1; i <= 1000; i++) one.send(text);
    await eventually(() => service.heldBytes >= 256 * 1024);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(service.mostHeldBytes).toBeLessThan(256 * 1024 + 2 * 65_536);
    release();
    await eventually(() => service.lines.length === 1000);
    expect(service.mostHeldBytes).toBeLessThan(512 * 1024);
  });

  it('a sync is asked for before the reading stops, and not for little', async () => {
    const { service, client } = await open({ unacknowledgedBytes: 256 * 1024 });
    const one = client();
    one.send(line(1, { text: 'x'.repeat(100_000) }));
    await one.acked(1);
    expect(service.hurries).toBe(0);
    service.hold = new Promise((resolve) => setTimeout(resolve, 300));
    for (let i = 2; i <= 10; i++) one.send(line(i, { text: 'x'.repeat(50_000) }));
    await eventually(() => service.hurries > 0);
    expect(service.heldAtHurry).toBeLessThan(256 * 1024);
    await one.acked(10);
  });

  it('many connections share one bound', async () => {
    const { service, client } = await open({ waitingBytes: 1024 * 1024 });
    let release = () => {};
    service.hold = new Promise((resolve) => {
      release = resolve;
    });
    const text = line(1, { text: 'x'.repeat(10_000) }).repeat(50);
    const clients = Array.from({ length: 20 }, client);
    for (const one of clients) for (let i = 0; i < 4; i++) one.send(text);
    await eventually(() => service.heldBytes >= 1024 * 1024);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(service.mostHeldBytes).toBeLessThan(3 * 1024 * 1024);
    release();
    await eventually(() => service.lines.length === 20 * 4 * 50);
  });

  it('a line of a gigabyte is one error; memory stays flat and others are served', async () => {
    const { service, client } = await open();
    const [huge, other] = [client(), client()];
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const before = process.memoryUsage().rss;
    let most = 0;
    for (let i = 0; i < 1024; i++) {
      if (!huge.socket.write(chunk)) await new Promise((resolve) => huge.socket.once('drain', resolve));
      if (i % 64 === 0) most = Math.max(most, process.memoryUsage().rss - before);
      if (i === 512) {
        other.send(line(1));
        await other.acked(1);
      }
    }
    huge.send(`\n${line(2)}`);
    await huge.acked(2);
    expect(huge.told.filter(({ error }) => error)).toMatchObject([{ error: { code: 'HO_RECORD_TOO_LONG', line: 1 } }]);
    expect(most).toBeLessThan(200 * 1024 * 1024);
    expect(service.lines).toHaveLength(2);
  }, 60_000);

  it('half lines together are bounded: who holds a long one is sent away', async () => {
    const { service, client } = await open({ waitingBytes: 4 * 1024 * 1024 });
    const clients = Array.from({ length: 8 }, client);
    for (const one of clients) one.send(Buffer.alloc(1024 * 1024, 'x'));
    await eventually(() => clients.some(({ told }) => told.length > 0));
    const small = client();
    small.send(line(1));
    await small.acked(1);
    expect(service.context.halfLines.held).toBeLessThan(5 * 1024 * 1024);
    for (const { socket } of clients) socket.destroy();
    await eventually(() => service.context.halfLines.held === 0);
  });

  it('a slow writer is waited for', async () => {
    const { client } = await open();
    const one = client();
    for (const part of line(1).match(/.{1,20}|\n/g) ?? []) {
      one.send(part);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await one.acked(1);
  });

  it('one who asks and never reads is closed', async () => {
    const { path, service } = await open();
    const socket = connect(path);
    ends.push(() => socket.destroy());
    socket.on('error', () => {});
    let closed = false;
    socket.on('close', () => {
      closed = true;
    });
    const questions = '{"op":"status","id":1}\n'.repeat(2000);
    const timer = setInterval(() => socket.write(questions), 5);
    ends.push(() => clearInterval(timer));
    socket.pause();
    await eventually(() => service.context.counts.counts().find(({ labels }) => labels?.reason === 'slow_reader'));
    clearInterval(timer);
    socket.resume();
    await eventually(() => closed);
  });

  it('thousands of connections that do nothing make room for one that works', async () => {
    const { path, service, client } = await open({ connections: 200 });
    const worker = client();
    worker.send(line(1));
    await worker.acked(1);
    const idle: Socket[] = [];
    ends.push(() => {
      for (const socket of idle) socket.destroy();
    });
    let connected = 0;
    for (let i = 0; i < 100; i++) {
      const burst = Array.from({ length: 100 }, () => connect(path));
      idle.push(...burst);
      const settled = burst.map(
        (socket) => new Promise((resolve) => ['connect', 'error'].map((event) => socket.on(event, resolve))),
      );
      for (const socket of burst) socket.on('connect', () => connected++);
      await Promise.all(settled);
      worker.send(line(2 + i));
      await worker.acked(2 + i);
    }
    const late = client();
    late.send(line(1, {}, 'late'));
    await late.until(({ ack }) => (ack as { producer: string })?.producer === 'late');
    const counts = () =>
      Object.fromEntries(service.context.counts.counts().map(({ name, value }) => [name, value])) as Record<
        string,
        number
      >;
    expect(connected).toBeGreaterThan(2_000);
    await eventually(() => (counts().socket_closed_for_room ?? 0) >= connected - 200);
    expect(counts().socket_connections).toBeLessThanOrEqual(200);
    expect(worker.socket.destroyed).toBe(false);
  }, 60_000);
});

describe('the place of the socket', () => {
  it('is the user’s alone, and is gone afterwards', async () => {
    const { path, folder, listener } = await open();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'run')).mode & 0o777).toBe(0o700);
    listener.stop();
    expect(existsSync(path)).toBe(false);
  });

  it('is not taken from a service that lives', async () => {
    const { path, service } = await open();
    await expect(SocketListener.open(path, service.context)).rejects.toMatchObject({ code: 'HO_SERVICE_RUNNING' });
    const one = new LineClient(path);
    one.send(line(1));
    await one.acked(1);
    one.socket.destroy();
  });

  it('is taken over from one that died', async () => {
    const folder = privateFolder();
    ends.push(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'observer.sock');
    const { spawnSync } = await import('node:child_process');
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', script]);
    expect(existsSync(path)).toBe(true);
    const listener = await SocketListener.open(path, new MemoryService().context);
    ends.push(() => listener.stop());
    const one = new LineClient(path);
    one.send(line(1));
    await one.acked(1);
    one.socket.destroy();
  });

  it('is refused when it is too long, a file, or open to others', async () => {
    const folder = privateFolder();
    ends.push(() => rmSync(folder, { recursive: true }));
    const { context } = new MemoryService();
    const long = join(folder, 'x'.repeat(120));
    await expect(SocketListener.open(long, context)).rejects.toMatchObject({
      code: 'HO_LISTEN_FAILED',
      message: expect.stringMatching(/has \d+ bytes, of which the system takes 10[37]/),
    });
    writeFileSync(join(folder, 'file'), '');
    await expect(SocketListener.open(join(folder, 'file'), context)).rejects.toMatchObject({
      code: 'HO_LISTEN_FAILED',
    });
    mkdirSync(join(folder, 'open'));
    chmodSync(join(folder, 'open'), 0o777);
    await expect(SocketListener.open(join(folder, 'open', 's'), context)).rejects.toThrow('others may write to');
  });
});

it('a server that is no service is not removed', async () => {
  const folder = privateFolder();
  const path = join(folder, 's');
  const server = createServer().listen(path);
  await new Promise((resolve) => server.once('listening', resolve));
  ends.push(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await expect(SocketListener.open(path, new MemoryService().context)).rejects.toMatchObject({
    code: 'HO_SERVICE_RUNNING',
  });
  expect(existsSync(path)).toBe(true);
});
