import { execFileSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { onHookChannel } from './channel.js';
import { Hub } from './hub.js';

afterEach(() => {
  vi.useRealTimers();
});

function heard(hub: Hub): string[] {
  const all: string[] = [];
  hub.on('*', (_, { hook }) => all.push(hook));
  return all;
}

describe('emitLater', () => {
  it('tells observers a moment later, with the time of the call', async () => {
    const hub = new Hub();
    const times: number[] = [];
    hub.on('a', (_, { time }) => times.push(time[0] * 1000 + time[1] / 1e6));
    const before = Date.now();
    hub.emitLater('a', () => ({}));
    const after = Date.now();
    while (Date.now() < after + 5);
    expect(times).toEqual([]);
    await vi.waitFor(() => expect(times).toHaveLength(1));
    expect(times[0]).toBeGreaterThanOrEqual(before);
    expect(times[0]).toBeLessThan(after + 1);
  });

  it('keeps the order of calls: whatever else is emitted comes after', () => {
    const hub = new Hub();
    const all = heard(hub);
    hub.emitLater('a', () => ({}));
    hub.emitLater('b', () => ({}));
    hub.emit('c', {});
    hub.emitLater('d', () => ({}));
    hub.deliverWaiting();
    expect(all).toEqual(['a', 'b', 'c', 'd']);
  });

  it('counts, numbers and names records as emit does', () => {
    const hub = new Hub({ producer: 'p' });
    const metas: unknown[] = [];
    hub.on('a', (_, { seq, producer, profile }) => metas.push([seq, producer, profile]));
    hub.emitLater('a', () => ({}), { profile: 'planner' });
    hub.emit('a', {});
    expect(metas).toEqual([
      [1, 'p', 'planner'],
      [2, 'p', undefined],
    ]);
    expect(hub.stats.emitted).toBe(2);
  });

  it('who comes later hears nothing of it, who leaves hears all', () => {
    const hub = new Hub();
    const first: string[] = [];
    const second: string[] = [];
    const leave = hub.on('a', () => first.push('a'));
    hub.emitLater('a', () => ({}));
    hub.on('a', () => second.push('a'));
    expect([first.length, second.length]).toEqual([1, 0]);
    hub.emitLater('a', () => ({}));
    leave();
    expect([first.length, second.length]).toEqual([2, 1]);
  });

  it('makes no payload for nobody, and one for subscribers of the channel', () => {
    const hub = new Hub();
    const payload = vi.fn(() => ({}));
    hub.emitLater('of-nobody', payload);
    hub.deliverWaiting();
    expect(payload).not.toHaveBeenCalled();
    const hooks: string[] = [];
    const end = onHookChannel('of-channel', ({ hook }) => hooks.push(hook));
    hub.emitLater('of-channel', payload);
    hub.deliverWaiting();
    end();
    expect(hooks).toEqual(['of-channel']);
  });

  it('tells of calls in their order, those of one moment together', async () => {
    const hub = new Hub();
    const all = heard(hub);
    hub.emitLater('a', () => ({}));
    await wait(1);
    hub.emitLater('b', () => ({}));
    expect(all).toEqual([]);
    await vi.waitFor(() => expect(all).toEqual(['a', 'b']));
  });

  it.each<[string, string, number, unknown?]>([
    ['process.exit()', 'process.exit(3)', 3],
    ['an error that nobody catches', 'throw new Error("end")', 1],
    ['nothing left to do', 'process.exitCode = 4', 4],
    [
      'process.exit() in an observer',
      'hub.on("d", () => process.exit(5)); hub.emitLater("d", () => ({})); hub.emitLater("e", () => ({}))',
      5,
      'a b c d e ',
    ],
    [
      'hubs that tell each other',
      'const other = new Hub(); other.on("x", () => hub.emitLater("x", () => ({}))); hub.on("x", () => other.emitLater("x", () => ({}))); hub.emitLater("x", () => ({})); process.exit(6)',
      6,
      expect.stringMatching(/^a b c x x x/),
    ],
    [
      'a listener of the exit that tells and one that looks',
      'process.on("exit", () => { hub.emitLater("last", () => ({})); writeSync(1, "end "); }); process.exit(7)',
      7,
      'a b c last end ',
    ],
  ])('the end of the process waits for nobody: %s', (_, ending, code, stdout = 'a b c ') => {
    const core = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
    const program = `
      import { Hub } from ${JSON.stringify(core)};
      import { writeSync } from 'node:fs';
      const hub = new Hub();
      hub.on('*', (_, { hook }) => writeSync(1, hook + ' '));
      hub.emitLater('a', () => ({}));
      hub.emit('b', {});
      hub.emitLater('c', () => ({}));
      ${ending};`;
    const run = () =>
      execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', stdio: 'pipe' });
    expect(run).toThrow(expect.objectContaining({ status: code, stdout }));
  });

  it('is delivered before a question, a look at counts, and a change of who listens to a channel', async () => {
    const hub = new Hub();
    const all = heard(hub);
    hub.respond('pre_tool_call', () => {
      all.push('asked');
      return undefined;
    });
    hub.emitLater('a', () => ({}));
    await hub.ask('pre_tool_call', {});
    hub.emitLater('b', () => ({}));
    expect([hub.stats.emitted, ...all]).toEqual([2, 'a', 'asked', 'b']);
    const channel: string[] = [];
    hub.emitLater('c', () => ({}));
    const end = onHookChannel('c', () => channel.push('c'));
    hub.emitLater('c', () => ({}));
    end();
    expect([all.slice(3), channel]).toEqual([['c', 'c'], ['c']]);
  });

  it('gives the time that meta says', () => {
    const hub = new Hub();
    const times: unknown[] = [];
    hub.on('a', (_, { time }) => times.push(time));
    hub.emitLater('a', () => ({}), { timeUnixNano: '5000000007' });
    hub.emitLater('a', () => ({}), { time: [6, 1] });
    hub.deliverWaiting();
    expect(times).toEqual([
      [5, 7],
      [6, 1],
    ]);
  });

  it('what observers tell in a circle comes, and keeps nobody', async () => {
    const hub = new Hub();
    let calls = 0;
    hub.on('a', () => {
      calls++;
      hub.emitLater('a', () => ({}));
    });
    hub.emitLater('a', () => ({}));
    hub.deliverWaiting();
    const then = calls;
    expect(then).toBeGreaterThan(1_000);
    await vi.waitFor(() => expect(calls).toBeGreaterThan(then));
  });

  it('a flood of what an observer tells stays behind what waits', () => {
    const hub = new Hub();
    const all = heard(hub);
    hub.on('a', () => {
      for (let i = 0; i < 300; i++) hub.emitLater('inner', () => ({}));
    });
    hub.emitLater('a', () => ({}));
    hub.emitLater('b', () => ({}));
    hub.deliverWaiting();
    expect([all[0], all[1], all[2], all.length]).toEqual(['a', 'b', 'inner', 302]);
  });

  it('does not wait for ever where timers are replaced, or the program never rests', () => {
    vi.useFakeTimers();
    const hub = new Hub();
    const all = heard(hub);
    for (let i = 0; i < 1_000; i++) hub.emitLater('a', () => ({}));
    expect(all.length).toBeGreaterThan(700);
    hub.deliverWaiting();
    expect(all).toHaveLength(1_000);
  });

  it('a payload or an observer that throws stops nothing, and neither does one that emits', () => {
    const failures: string[] = [];
    const hub = new Hub({ onError: ({ kind }) => failures.push(kind) });
    const all = heard(hub);
    hub.on('a', () => {
      hub.emitLater('inner', () => ({}));
      throw new Error('observer');
    });
    hub.emitLater('a', () => ({}));
    hub.emitLater('b', () => {
      throw new Error('payload');
    });
    hub.emitLater('c', () => ({}));
    hub.deliverWaiting();
    expect(all).toEqual(['a', 'c', 'inner']);
    expect(failures).toEqual(['observer', 'payload']);
  });
});
