import { describe, expect, it } from 'vitest';
import { idLabel, RepeatedId } from './id-label.js';

const KEY = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

describe('an id', () => {
  it.each([
    'call_abc123DEF456ghi789JKL012',
    'toolu_01A09q90qw90lq917835lq9',
    '20251129_210000_a1b2c3:20251129_210000_a1b2c3:0f1e2d3c:api:1',
    '550e8400-e29b-41d4-a716-446655440000',
    'agent:main:telegram:dm:12345',
    'an id of somebody, with spaces',
  ])('stays as it is: %s', (id) => {
    for (const capture of ['none', 'redacted', 'full'] as const) expect(idLabel(id, capture)).toBe(id);
  });

  it.each([
    [KEY, '[redacted:api_key]'],
    [`call ${KEY}`, 'call [redacted:api_key]'],
    ['agent:main:whatsapp:dm:+4915123456789', 'agent:main:whatsapp:dm:[redacted:phone]'],
    ['signal/jane@example.org', '[redacted:email]'],
    ['password=hunter2', 'password=[redacted:secret]'],
  ])('hides what it holds of a secret: %s', (id, masked) => {
    for (const capture of ['none', 'redacted'] as const) expect(idLabel(id, capture)).toContain(masked);
    expect(idLabel(id, 'full')).toBe(id);
  });

  it('that repeats is told apart by capture', () => {
    const ids = new RepeatedId();
    expect([ids.of(KEY, 'full'), ids.of(KEY, 'none'), ids.of(KEY, 'full'), ids.of(5, 'none')]).toEqual([
      KEY,
      '[redacted:api_key]',
      KEY,
      undefined,
    ]);
  });
});
