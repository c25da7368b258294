import { describe, expect, it } from 'vitest';
import { counted, formatAmount, formatBytes } from './amount.js';

describe('amounts', () => {
  it('shows what is unknown as unknown', () => {
    expect([null, 0, 9999, 10_000, 999_949, 999_951, 1_240_000].map(formatAmount)).toEqual([
      '–',
      '0',
      '9999',
      '10.0k',
      '999.9k',
      '1.00M',
      '1.24M',
    ]);
  });

  it('shows bytes and counts', () => {
    expect([812, 1024, 1_258_291, 48_220_113].map(formatBytes)).toEqual(['812 B', '1.0 KiB', '1.2 MiB', '46 MiB']);
    expect([counted(1, 'tool'), counted(20_000, 'span')]).toEqual(['1 tool', '20,000 spans']);
  });
});
