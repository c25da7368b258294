import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onHookChannel } from './channel.js';
import { Hub } from './hub.js';

const boom = () => {
  throw new Error('own method');
};

/** A rejected promise with properties of its own. */
function rejected(properties: Record<string, PropertyDescriptor>): Promise<never> {
  return Object.defineProperties(Promise.reject(new Error('no')), properties) as Promise<never>;
}
const THEN = 'then';
const nothing = () => {};

/** Rejected promises that do not want to be followed. */
const HOSTILE: Record<string, () => Promise<never>> = {
  'a catch that throws': () => rejected({ catch: { value: boom } }),
  'a then that throws': () => rejected({ [THEN]: { value: boom } }),
  'a then that cannot be read': () => rejected({ [THEN]: { get: boom } }),
  'a then that does nothing': () => rejected({ [THEN]: { value: nothing }, catch: { value: nothing } }),
};
const KINDS = Object.entries(HOSTILE);

const unhandled: unknown[] = [];
const note = (error: unknown) => void unhandled.push(error);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

describe.each(KINDS)('a rejected promise with %s', (_kind, make) => {
  it('from an observer is counted and ends nothing', async () => {
    const hub = new Hub({ onError: () => {} });
    hub.on('a', make);
    hub.emit('a', {});
    hub.emit('a', make as never);
    await settle();
    expect(hub.stats.failures).toMatchObject({ observer: 1, payload: 1 });
    expect(unhandled).toEqual([]);
  });

  it('from a plugin is counted and ends nothing', async () => {
    const hub = new Hub({ onError: () => {} });
    hub.use({ name: 'set-up', setup: make });
    hub.use({ name: 'clean-up', setup: () => make });
    hub.remove('clean-up');
    await settle();
    expect(hub.stats.failures.plugin).toBe(2);
    expect(hub.plugins).toEqual([]);
    expect(unhandled).toEqual([]);
  });

  it('from a subscriber of a channel is told and ends nothing', async () => {
    const told: unknown[] = [];
    const end = onHookChannel('a', make, (error) => told.push(error));
    new Hub().emit('a', {});
    end();
    await settle();
    expect(told).toHaveLength(1);
    expect(unhandled).toEqual([]);
  });

  it('from a guard blocks', async () => {
    const hub = new Hub({ onError: () => {} });
    hub.respond('pre_tool_call', make);
    expect(await hub.ask('pre_tool_call', { tool_name: 't', args: {} } as never)).toMatchObject({ decision: 'block' });
    await settle();
    expect(unhandled).toEqual([]);
  });
});

it('a payload with a function named `then` is no payload, and the function is not called', async () => {
  const hub = new Hub({ onError: () => {} });
  hub.on('a', nothing);
  let calls = 0;
  const then = async () => {
    calls++;
    return boom();
  };
  hub.emit('a', () => ({ [THEN]: then }) as never);
  await settle();
  expect([calls, hub.stats.failures.payload]).toEqual([0, 1]);
  expect(unhandled).toEqual([]);
});
