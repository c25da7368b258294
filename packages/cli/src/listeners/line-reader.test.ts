import { describe, expect, it, vi } from 'vitest';
import { LineReader } from './line-reader.js';

function read(...lines: string[]) {
  const problems: [line: number, code: string, message: string][] = [];
  const reader = new LineReader(
    {
      onOperation: () => {},
      onProblem: (line, { code, message }) => problems.push([line, code, message]),
    },
    1024 * 1024,
  );
  for (const line of lines) reader.push(Buffer.from(`${line}\n`));
  return { problems, records: reader.take().records };
}

const record = (fields: object) =>
  JSON.stringify({ hook: 'h', time_unix_nano: '1', seq: 1, producer: 'p', payload: {}, ...fields });
const withId = (name: string, length: number) => record({ payload: { [name]: 'i'.repeat(length) } });

describe('LineReader', () => {
  it.each(['garbage', '\0\u{1f331}', "{'hook':1}", '\ufeff{}', ' \tx', 'truth', '- 1', '"open'])(
    'tells %j to be no JSON',
    (line) => {
      const { problems, records } = read(record({ seq: 1 }), line, ` \t\r${record({ seq: 2 })} \r`);
      expect(problems).toEqual([[2, 'HO_RECORD_NOT_JSON', expect.stringMatching(/^not JSON/)]]);
      expect(records.map(({ seq }) => seq)).toEqual([1, 2]);
    },
  );

  it.each(['[1]', '"text"', '-1', '7', 'true', 'false', 'null'])('tells %s to be JSON, and no record', (line) => {
    expect(read(line).problems).toEqual([[1, 'HO_RECORD_SHAPE', expect.any(String)]]);
  });

  it('does not show the parser what cannot be JSON', () => {
    const parse = vi.spyOn(JSON, 'parse');
    const { problems } = read(...Array.from({ length: 100 }, () => '\u{1f331} nonsense'));
    const calls = parse.mock.calls.length;
    parse.mockRestore();
    expect([problems.length, calls]).toEqual([100, 0]);
  });

  it.each([
    ['a number that is a text', record({ seq: '5' })],
    ['a number below 1', record({ seq: -1 })],
    ['a number with a fraction', record({ seq: 1.5 })],
    ['a number beyond what is exact', record({ seq: 2 ** 53 })],
    ['a producer that is no text', record({ producer: 7 })],
    ['an empty producer', record({ producer: '' })],
    ['a long producer', record({ producer: 'p'.repeat(257) })],
    ['a long hook', record({ hook: 'h'.repeat(257) })],
    ['a long profile', record({ profile: 'p'.repeat(257) })],
    ['a time beyond 64 bits', record({ time_unix_nano: '18446744073709551616' })],
    ['a long id', withId('session_id', 4_097)],
    ['a long name', withId('tool_name', 4_097)],
    ['a long id of a call', withId('tool_call_id', 65_537)],
    ['a payload without bottom', `{"deep":${'['.repeat(300_000)}`],
  ])('refuses %s with a word, and goes on', (_, line) => {
    const { problems, records } = read(line, record({ seq: 2 }));
    expect(problems).toEqual([[1, 'HO_RECORD_SHAPE', expect.any(String)]]);
    expect(records.map(({ seq }) => seq)).toEqual([2]);
  });

  it.each([
    ['no number', record({ seq: undefined })],
    ['nulls', record({ seq: null, producer: null, profile: null })],
    ['an odd trace context', record({ trace_context: 'x' })],
    ['long content', record({ payload: { result: 'r'.repeat(100_000) } })],
    ['a signature in the id of a call', withId('tool_call_id', 30_000)],
    ['names at their bound', record({ producer: 'p'.repeat(256), hook: 'h'.repeat(256) })],
  ])('takes a record with %s', (_, line) => {
    const { problems, records } = read(line);
    expect([problems, records.length]).toEqual([[], 1]);
  });
});
