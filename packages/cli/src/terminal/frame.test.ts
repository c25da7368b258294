import { expect, it } from 'vitest';
import { Frame } from './frame.js';

it('a frame writes the lines that changed, at once, and nothing where none did', () => {
  const frame = new Frame();
  expect(frame.update(['a', 'b'])).toBe('\x1b[?2026h\x1b[2J\x1b[1;1H\x1b[Ka\x1b[2;1H\x1b[Kb\x1b[?2026l');
  expect(frame.update(['a', 'c'])).toBe('\x1b[?2026h\x1b[2;1H\x1b[Kc\x1b[?2026l');
  expect(frame.update(['a', 'c'])).toBe('');
  frame.forget();
  expect(frame.update(['a', 'c'])).toContain('\x1b[2J');
});
