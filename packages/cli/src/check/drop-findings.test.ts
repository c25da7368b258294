import { expect, it } from 'vitest';
import { dropFindings } from './drop-findings.js';

const drop = (value: number, what: string, more: object = {}) => ({
  name: 'lifetime_drops',
  help: '',
  value,
  labels: { what, ...more },
});

it('says what was ever given up, the most first, and why nothing is taken', () => {
  const counts = [
    { name: 'records', value: 9 },
    drop(3, 'producer_dropped_records', { reason: 'queue_full' }),
    drop(12, 'lost_spans', { exporter: 'jaeger', reason: 'refused' }),
    drop(1, 'unheld_traces'),
  ];
  const [trouble, drops] = dropFindings({ counts, trouble: 'the disk is full' });
  expect(trouble).toMatchObject({ level: 'fault', text: 'the service takes no records: the disk is full' });
  expect(drops).toMatchObject({
    level: 'note',
    text: 'given up since the data folder was made: 12 lost spans (jaeger, refused), 3 producer dropped records (queue_full), 1 unheld traces',
  });
});

it('says nothing of a service that gave up nothing, or that is of another version', () => {
  for (const counts of [undefined, [], [null, 7, { name: 'lifetime_drops' }, { name: 'records', value: 1 }]]) {
    expect(dropFindings({ counts })).toEqual([]);
  }
});

it('tells so many and counts the rest', () => {
  const [{ text } = { text: '' }] = dropFindings({
    counts: Array.from({ length: 40 }, (_, i) => drop(i + 1, `w${i}`)),
  });
  expect(text).toContain('40 w39');
  expect(text).toMatch(/, 28 more$/);
});

it('says what was redacted, the most first', () => {
  const counts = [
    { name: 'redacted_values', value: 2, labels: { kind: 'email' } },
    { name: 'redacted_values', value: 5, labels: { kind: 'api_key' } },
    { name: 'redacted_values', value: 'x', labels: {} },
  ];
  expect(dropFindings({ counts })).toMatchObject([
    { id: 'redacted', level: 'note', text: 'values redacted since the service started: 5 api_key, 2 email' },
  ]);
});
