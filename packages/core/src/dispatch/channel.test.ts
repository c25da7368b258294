import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { channelName, onHookChannel } from './channel.js';
import { Hub } from './hub.js';

describe('diagnostics channel of a hook', () => {
  it('carries the hook of every hub, and counts as a listener', () => {
    const hub = new Hub({ producer: 'p' });
    const seen: unknown[] = [];
    const listener = (message: unknown) => seen.push(message);
    expect(channelName('pre_tool_call')).toBe('hermes.observer:pre_tool_call');
    subscribe('hermes.observer:pre_tool_call', listener);
    expect(hub.has('pre_tool_call')).toBe(true);
    hub.emit('pre_tool_call', () => ({ tool_name: 'x' }));
    unsubscribe('hermes.observer:pre_tool_call', listener);
    hub.emit('pre_tool_call', {});
    expect(hub.has('pre_tool_call')).toBe(false);
    expect(seen).toMatchObject([
      { hook: 'pre_tool_call', payload: { tool_name: 'x' }, meta: { producer: 'p', seq: 1 } },
    ]);
  });

  it('keeps what a guarded subscriber throws from the process', async () => {
    const hub = new Hub();
    const errors: unknown[] = [];
    const ends = [
      onHookChannel(
        'c',
        () => {
          throw new Error('sync');
        },
        (error) => errors.push(error),
      ),
      onHookChannel(
        'c',
        () => Promise.reject(new Error('async')),
        (error) => {
          errors.push(error);
          throw error;
        },
      ),
      onHookChannel('c', () => {
        throw new Error('dropped');
      }),
    ];
    hub.emit('c', {});
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (const end of ends) end();
    hub.emit('c', {});
    expect(errors.map(String)).toEqual(['Error: sync', 'Error: async']);
  });
});
