import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkEncoding, suspicionOf } from './input-start.js';

const record = '{"hook":"a","time_unix_nano":"1","payload":{}}\n';
const request = { resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'x' }] }] }] };
const otlp = `${JSON.stringify(request)}\n`;
const suspected = (text: string | Buffer, expected: 'recordings' | 'recordings or OTLP' = 'recordings') =>
  suspicionOf(Buffer.from(text as string), expected)?.message;

describe('checkEncoding', () => {
  it.each([
    ['gzip', gzipSync(record)],
    ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0])],
    ['zip', Buffer.from('PK\u0003\u0004')],
    ['UTF-16', Buffer.from(`\ufeff${record}`, 'utf16le')],
  ])('refuses %s and names it', (name, bytes) => {
    expect(() => checkEncoding(bytes)).toThrowError(
      expect.objectContaining({ code: 'HO_INPUT_UNREADABLE', message: expect.stringContaining(name) }),
    );
  });

  it.each(['', record, `\ufeff${record}`, 'BZ', '\0\0'])('lets %j pass', (text) => {
    expect(() => checkEncoding(Buffer.from(text))).not.toThrow();
  });
});

describe('suspicionOf', () => {
  it.each(['', '\n', record, `\n${record}`, '{"hook": "cut', '{\n'.slice(0, 1), 'oops\n{\n', '{"a":1}\n{"b":2}\n'])(
    'has none of %j',
    (text) => {
      expect(suspected(text)).toBeUndefined();
    },
  );

  it('knows a binary file', () => {
    expect(suspected(Buffer.from([10, 0, 18, 200]))).toContain('binary');
  });

  it.each([
    ['pretty-printed', JSON.stringify(request, null, 2), 'a request a line'],
    ['with a byte order mark', `\ufeff${JSON.stringify(request, null, '\t')}`, 'a request a line'],
    ['a list', `[\n${record}]\n`, 'a record a line'],
    ['with Windows line ends', JSON.stringify({ a: { b: 1 } }, null, 2).replaceAll('\n', '\r\n'), 'a record a line'],
    ['a first line that goes on', '{"hook": "a",\n "payload": {}}\n', 'a record a line'],
  ])('knows a JSON value over several lines: %s', (_, text, hint) => {
    for (const expected of ['recordings', 'recordings or OTLP'] as const) {
      expect(suspected(text, expected)).toMatch(/one JSON value over several lines/);
      expect(suspected(text, expected)).toContain(hint);
    }
  });

  it('knows OTLP/JSON where recordings are expected', () => {
    expect(suspected(otlp)).toMatch(/OTLP\/JSON.* view /);
    expect(suspected(` {  "resourceSpans" : []}\n`)).toMatch(/OTLP\/JSON.* view /);
    expect(suspected(otlp, 'recordings or OTLP')).toBeUndefined();
  });

  it('knows OTLP/JSON that holds no traces', () => {
    expect(suspected('{"resourceLogs":[]}\n', 'recordings or OTLP')).toContain('with logs');
    expect(suspected('{"resourceMetrics":[]}\n')).toContain('with metrics');
  });
});
