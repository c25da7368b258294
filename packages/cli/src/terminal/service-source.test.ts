import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { attribute, ends, open, request, TOKEN, traceOf } from '../viewer/viewer.test-support.js';
import { follow } from './follow.js';
import { ServiceSource } from './service-source.js';
import { type LiveEvent, NotThere } from './source.js';
import { watchUntil } from './watch-until.js';

const ALL = { text: '', outcome: '' };
const { signal } = new AbortController();

async function eventually(check: () => boolean): Promise<void> {
  for (let i = 0; i < 300 && !check(); i++) await pause(10);
  expect(check()).toBe(true);
}

describe('a service', () => {
  it('is read: lists with filters and by pages, turns, spans', async () => {
    const { listener, post } = await open();
    for (let i = 1; i <= 5; i++)
      await post(request(i, { attributes: [attribute('word', i === 2 ? 'needle' : 'hay')] }));
    const source = new ServiceSource(async () => ({ url: listener.url, token: TOKEN }));
    const first = await source.turns(ALL, 3, null, signal);
    const rest = await source.turns(ALL, 3, first.next, signal);
    expect([...first.rows, ...rest.rows].map(({ trace }) => trace)).toEqual([5, 4, 3, 2, 1].map(traceOf));
    expect((await source.turns({ text: 'NEEDLE', outcome: '' }, 3, null, signal)).rows).toHaveLength(1);
    expect((await source.turns({ text: '', outcome: 'errors' }, 3, null, signal)).total).toBe(0);
    expect((await source.turn(traceOf(2), signal)).row.name).toBe('span 2');
    expect((await source.span(traceOf(2), traceOf(2).slice(16), signal)).attributes).toEqual({ word: 'needle' });
    await expect(source.turn(traceOf(9), signal)).rejects.toThrow(NotThere);
  });

  it('is looked for again after it was gone, or asks for another token', async () => {
    const { listener } = await open();
    const places = [
      { url: 'http://127.0.0.1:1', token: TOKEN },
      { url: listener.url, token: 'an old one' },
      { url: listener.url, token: TOKEN },
    ];
    let asked = 0;
    const source = new ServiceSource(async () => places[asked++] as (typeof places)[0]);
    await expect(source.turns(ALL, 1, null, signal)).rejects.toThrow('fetch failed');
    await expect(source.turns(ALL, 1, null, signal)).rejects.toThrow('401');
    expect((await source.turns(ALL, 1, null, signal)).total).toBe(0);
    await source.turns(ALL, 1, null, signal);
    expect(asked).toBe(3);
  });

  it('tells what happens, until something has to be read anew', async () => {
    const { listener, post } = await open();
    await post(request(1, { endTimeUnixNano: '0' }));
    const source = new ServiceSource(async () => ({ url: listener.url, token: TOKEN }));
    const { at } = await source.turn(traceOf(1), signal);
    const events: LiveEvent[] = [];
    let enough = () => {};
    const watching = watchUntil(
      source,
      { from: at, trace: traceOf(1) },
      (event, readAnew) => {
        events.push(event);
        enough = readAnew;
      },
      signal,
    );
    await post(request(1, { name: 'ended' }));
    await eventually(() => events.length >= 2);
    expect(events.map(({ name }) => name).sort()).toEqual(['rows', 'turn']);
    enough();
    await watching;
  });

  it('that goes away and comes back is followed on', async () => {
    let { listener, post } = await open();
    await post(request(1));
    const source = new ServiceSource(async () => ({ url: listener.url, token: TOKEN }));
    const end = new AbortController();
    ends.push(() => end.abort());
    const told: string[] = [];
    void follow(
      {
        load: async (either) => {
          const { rows, at } = await source.turns(ALL, 10, null, either);
          told.push(`${rows.length} turns`);
          return at;
        },
        watch: (from, either) => source.watch(from, undefined, ({ name }) => told.push(name), either),
        onConnected: () => told.push('live'),
        onFault: () => {
          if (told.at(-1) !== 'away') told.push('away');
          return true;
        },
      },
      end.signal,
    );
    await eventually(() => told.includes('live'));
    await pause(100);
    await post(request(2));
    await eventually(() => told.includes('rows'));
    listener.stop();
    listener.closeConnections();
    await eventually(() => told.includes('away'));
    ({ listener, post } = await open());
    await post(request(7));
    await eventually(() => told.at(-1) === 'live');
    expect(told).toEqual(['1 turns', 'live', 'rows', 'away', '1 turns', 'live']);
  });
});
