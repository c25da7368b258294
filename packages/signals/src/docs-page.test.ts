import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { LOG_EVENTS } from './logs/log-events.js';
import { INSTRUMENTS, type InstrumentRow } from './metrics/instruments.js';
import { LABELS } from './metrics/labels.js';

// `UPDATE_DOCS=1 npx vitest run packages/signals` writes the tables anew.

const PAGE = fileURLToPath(new URL('../../../docs/metrics-and-logs.md', import.meta.url));

const code = (text: string) => `\`${text}\``;

/** `0.01 … 81.92, ×2` for bounds that grow by a factor, else all of them. */
function bucketsText(buckets: readonly number[] | undefined): string {
  if (buckets === undefined) return '';
  const [first = 0, second = 0] = buckets;
  const factor = second / first;
  const grows = buckets.every((bound, i) => i === 0 || Math.abs(bound / (buckets[i - 1] ?? 1) / factor - 1) < 1e-9);
  return grows ? `${first} … ${buckets.at(-1)}, × ${factor}` : buckets.join(', ');
}

function metricsTable(): string {
  const rows = Object.entries(INSTRUMENTS).map(([name, row]) => {
    const { kind, unit, labels, buckets, source, description }: InstrumentRow = row;
    return `| ${[code(name), kind.toLowerCase(), code(unit), bucketsText(buckets), labels, source, description].join(' | ')} |`;
  });
  const head = ['metric', 'instrument', 'unit', 'buckets', 'labels', 'source', ''];
  return [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...rows].join('\n');
}

function labelsTable(): string {
  const rows = Object.entries(LABELS).map(([list, names]) => `| ${list} | ${names.map(code).join(', ')} |`);
  return ['| labels | attributes of the span |', '| --- | --- |', ...rows].join('\n');
}

function eventsTable(): string {
  const rows = Object.entries(LOG_EVENTS).map(
    ([name, { severity, span, source, description }]) =>
      `| ${code(name)} | ${severity} | ${span} | ${source} | ${description} |`,
  );
  return ['| event | severity | span | source | |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

it('docs/metrics-and-logs.md has the metrics, labels and events there are', () => {
  const page = readFileSync(PAGE, 'utf8');
  const put = (text: string, name: string, table: string) => {
    const place = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`);
    expect(text).toMatch(place);
    return text.replace(place, (_, begin: string, end: string) => `${begin}${table}\n${end}`);
  };
  const wanted = put(put(put(page, 'metrics', metricsTable()), 'labels', labelsTable()), 'events', eventsTable());
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, wanted);
  else expect(page).toBe(wanted);
});
