import { describe, expect, it } from 'vitest';
import { asAnother, batch, recording, replayed } from '../scene.test-support.js';
import { hasContent, withoutContent } from './content-fields.js';

const record = (payload: object) => ({ hook: 'h', time_unix_nano: '1', payload: payload as Record<string, unknown> });
const NAMES = [
  'b-two-sequential-tools',
  'd-tool-blocked-by-plugin',
  'h-provider-fallback',
  'p7-smart-approval-escalated-tui',
];

describe('content', () => {
  it.each(NAMES)('is in a recording, and the spans without it are the same: %s', (name) => {
    const { records } = batch(asAnother(recording(name), ''));
    expect(records.some(hasContent)).toBe(true);
    const lines = (without: typeof withoutContent) => records.map((each) => JSON.stringify(without(each)));
    const expected = replayed(records.map((each) => JSON.stringify(each)));
    expect(replayed(lines(withoutContent))).toEqual(expected);
  });

  it('is gone with all its fields, and what was to be told from it is told', () => {
    const full = record({
      turn_id: 't',
      result: '{"status":"blocked","error":"secret"}',
      error: { type: 'APIError', message: 'secret', status_code: 400 },
      args: { a: 'secret' },
    });
    const { payload } = withoutContent(full);
    expect(JSON.stringify(payload)).not.toContain('secret');
    expect(payload).toEqual({ turn_id: 't', result_status: 'blocked', error: { type: 'APIError', status_code: 400 } });
    expect(hasContent(record(payload))).toBe(false);
  });

  it('is none where a field is empty', () => {
    expect(hasContent(record({ turn_id: 't', result: '', args: null, usage: {} }))).toBe(false);
  });
});
