import { describe, expect, it } from 'vitest';
import { withPlugin } from './hermes-config.js';

describe('a list of plugins that cannot be added to', () => {
  it.each([
    'base: &b [a]\nplugins: { enabled: *b }\n',
    'plugins: { enabled: a }\n',
    'plugins: { enabled: { a: true } }\n',
    'plugins: [a]\n',
    'plugins: a\n',
  ])('is left alone: %j', (text) => {
    expect(() => withPlugin(text)).toThrow(expect.objectContaining({ code: 'HO_INSTALL' }));
  });

  it.each(['plugins:\n', 'plugins:\n  enabled:\n', 'plugins: {}\n', 'plugins: { enabled: [] }\n', ''])(
    'is made where there is none: %j',
    (text) => expect(withPlugin(text)).toMatch(/enabled:[\s[-]+hermes-observer/),
  );
});
