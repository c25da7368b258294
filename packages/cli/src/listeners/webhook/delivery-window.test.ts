import { expect, it } from 'vitest';
import { DeliveryWindow, isInWindow, WINDOW_MILLIS } from './delivery-window.js';
import { recordOfWebhook, webhookBodyOf } from './webhook-record.js';

it('a delivery is new once, as long as its time is good', () => {
  const window = new DeliveryWindow();
  expect(window.enter('a', 1_000_000, 1_000_000)).toBe('new');
  expect(window.enter('a', 1_000_000, 1_000_000 + WINDOW_MILLIS)).toBe('repeated');
  expect(isInWindow(1_000_000, 1_000_001 + WINDOW_MILLIS)).toBe(false);
  expect(window.enter('a', 9_000_000, 9_000_000)).toBe('new');
});

it('memory is bounded: a full window takes nothing new, and empties with time', () => {
  const window = new DeliveryWindow(2);
  expect(['a', 'b', 'c', 'a'].map((id) => window.enter(id, 0, 0))).toEqual(['new', 'new', 'full', 'repeated']);
  window.leave('a');
  expect(window.enter('c', 0, 0)).toBe('new');
  expect(window.enter('d', 3 * WINDOW_MILLIS, 3 * WINDOW_MILLIS)).toBe('new');
});

it('times of whole seconds keep the order of arrival inside that second', () => {
  const body = webhookBodyOf({ hook_event_name: 'h', delivery_id: 'd', timestamp: '2026-11-30T00:00:01Z' });
  const start = Date.parse('2026-11-30T00:00:01Z');
  if (body === undefined) throw new Error('no webhook');
  const timeAt = (now: number) => Number(BigInt(recordOfWebhook(body, now).time_unix_nano) / 1_000_000n);
  expect([start - 5, start + 300, start + 4000].map(timeAt)).toEqual([start, start + 300, start + 999]);
});

it('the session of a child hook is its parent’s', () => {
  const body = webhookBodyOf({
    hook_event_name: 'subagent_start',
    delivery_id: 'd',
    timestamp: '2026-11-30T00:00:01.5Z',
    session_id: 'parent',
    tool_name: '',
    tool_input: null,
    extra: { child_session_id: 'child' },
  });
  expect(body && recordOfWebhook(body, 0).payload).toEqual({ child_session_id: 'child', parent_session_id: 'parent' });
});
