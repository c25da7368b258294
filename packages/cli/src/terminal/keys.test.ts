import { describe, expect, it, vi } from 'vitest';
import { KeyReader } from './keys.js';

function reader() {
  const keys: string[] = [];
  const made = new KeyReader((key) => keys.push(key.name === 'text' ? `"${key.text}"` : key.name));
  return { keys, push: (text: string | Buffer) => made.push(Buffer.from(text)) };
}

describe('keys', () => {
  it.each([
    ['\x1b[A\x1bOB\x1b[1;5C', ['up', 'down', 'right']],
    ['\x1b[5~\x1b[6~\x1b[1~\x1bOF\x1b[7~', ['page-up', 'page-down', 'home', 'end', 'home']],
    ['q?/\r\x7f\x03\x1a', ['"q"', '"?"', '"/"', 'enter', 'backspace', 'interrupt', 'suspend']],
    ['é漢😀', ['"é"', '"漢"', '"😀"']],
    // A mouse, a report, a key that nobody knows.
    ['\x1b[<0;3;4M\x1b[12;40R\x1b[15~j', ['"j"']],
    ['\x1bj', ['escape', '"j"']],
    ['\x00\x01\u009b', []],
  ])('of %j', (text, expected) => {
    const { keys, push } = reader();
    push(text);
    expect(keys).toEqual(expected);
  });

  it('are put together when they come in pieces; Esc stands alone', async () => {
    vi.useFakeTimers();
    try {
      const { keys, push } = reader();
      for (const part of ['\x1b', '[', '5', '~']) push(part);
      const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
      push(first);
      push(second);
      push('\x1b');
      expect(keys).toEqual(['page-up', '"é"']);
      vi.advanceTimersByTime(60);
      expect(keys).toEqual(['page-up', '"é"', 'escape']);
      push('\x1b[');
      vi.advanceTimersByTime(60);
      push('A');
      expect(keys).toEqual(['page-up', '"é"', 'escape', '"A"']);
    } finally {
      vi.useRealTimers();
    }
  });
});
