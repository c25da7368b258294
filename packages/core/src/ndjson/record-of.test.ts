import { describe, expect, it } from 'vitest';
import { HookMeta } from '../contract/record.js';
import { Hub } from '../dispatch/hub.js';
import { formatRecord } from './format-record.js';
import { recordOf } from './record-of.js';

describe('the record of a hook call', () => {
  it('is what the hub knows of it', () => {
    const hub = new Hub({ producer: 'p' });
    const records: unknown[] = [];
    hub.on('*', (payload, meta) => records.push(recordOf(payload, meta)));
    hub.emit('pre_llm_call', { turn_id: 't' }, { timeUnixNano: '1764450000000000001', profile: 'work' });
    hub.emit('post_llm_call', { turn_id: 't' }, { time: [5, 6], traceContext: { traceparent: '00-x' } });
    expect(records).toEqual([
      {
        hook: 'pre_llm_call',
        time_unix_nano: '1764450000000000001',
        producer: 'p',
        seq: 1,
        profile: 'work',
        payload: { turn_id: 't' },
      },
      {
        hook: 'post_llm_call',
        time_unix_nano: '5000000006',
        producer: 'p',
        seq: 2,
        trace_context: { traceparent: '00-x' },
        payload: { turn_id: 't' },
      },
    ]);
  });

  it('can be written whatever the payload holds, and is cut to the limits', () => {
    const payload: Record<string, unknown> = { big: 1n, text: 'a'.repeat(100) };
    payload.self = payload;
    const record = recordOf(payload, new HookMeta('any', [1, 0]), { string: 10 });
    const written = JSON.parse(formatRecord(record)) as { payload: Record<string, string> };
    expect(written.payload).toMatchObject({ big: '1', self: '[circular]' });
    expect(written.payload.text?.length).toBeLessThanOrEqual(20);
  });

  it('has an empty payload where it cannot be read', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(recordOf(proxy, new HookMeta('any', [1, 0])).payload).toEqual({});
  });
});
