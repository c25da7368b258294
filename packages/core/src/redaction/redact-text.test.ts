import { describe, expect, it } from 'vitest';
import { snapshotOf } from '../snapshot/snapshot.js';
import { cutString } from '../snapshot/text.js';
import { redactText } from './redact-text.js';
import { redactValue } from './redact-value.js';

const R = (n: number, set = 'aB3dE5gH7jK9mN1pQ4rS6tU8vW0xY2z'): string =>
  set.repeat(Math.ceil(n / set.length)).slice(0, n);
const hex = (n: number): string => R(n, '0a1b2c3d4e5f6789');

describe('redactText: keys of vendors', () => {
  const keys: [kind: string, text: string][] = [
    ['api_key', `sk-${R(48)}`],
    ['api_key', 'sk-proj-Zx81QmT4vB7nLw29Rk55Yd60Hs3Gf'],
    ['api_key', `sk-ant-api03-${R(90)}`],
    ['api_key', 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'],
    ['api_key', `gho_${R(36)}`],
    ['api_key', `ghs_${R(36)}`],
    ['api_key', `github_pat_${R(22)}_${R(59)}`],
    ['api_key', `glpat-${R(20)}`],
    ['api_key', `xoxb-123456789012-1234567890123-${R(24)}`],
    ['api_key', 'AKIAQ3EXAMPLE7QRSTUV'],
    ['api_key', 'ASIAABCDEFGHIJKLMNOP'],
    ['api_key', `AIza${R(35)}`],
    ['api_key', `sk_live_${R(24)}`],
    ['api_key', `rk_live_${R(24)}`],
    ['api_key', `npm_${R(36)}`],
    ['api_key', `hf_${R(34)}`],
    ['api_key', `SG.${R(22)}.${R(43)}`],
    ['api_key', `SK${hex(32)}`],
    ['api_key', `dop_v1_${hex(64)}`],
    ['api_key', `gsk_${R(52)}`],
    ['api_key', `xai-${R(80)}`],
    ['bot_token', `110201543:AA${R(33)}`],
    ['jwt', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${R(43)}`],
    ['client_secret', `abc8Q~${R(34)}`],
    ['webhook_url', 'hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX'],
  ];
  it.each(keys)('%s %s', (kind, key) => {
    expect(redactText(`I use ${key} for the harvest`)).toBe(`I use [redacted:${kind}] for the harvest`);
    expect(redactText(JSON.stringify({ note: `a\n${key}\nb` }))).toBe(`{"note":"a\\n[redacted:${kind}]\\nb"}`);
    expect(redactText(`x=${key}`)).toBe(`x=[redacted:${kind}]`);
  });

  it('takes a private key whole, and to the end where its end is missing', () => {
    const body = `${R(64)}\n${R(64)}`;
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${body}\n-----END RSA PRIVATE KEY-----`;
    expect(redactText(`before\n${key}\nafter`)).toBe('before\n[redacted:private_key]\nafter');
    expect(redactText(`before\n${key.slice(0, 80)}`)).toBe('before\n[redacted:private_key]');
    expect(redactText('-----BEGIN CERTIFICATE-----\nMIIB')).toBe('-----BEGIN CERTIFICATE-----\nMIIB');
  });
});

describe('redactText: names and values', () => {
  const cases: [text: string, expected: string][] = [
    ['password=hunter2 rest', 'password=[redacted:secret] rest'],
    ['DB_PASSWORD=p.w-1 DB_HOST=db', 'DB_PASSWORD=[redacted:secret] DB_HOST=db'],
    ['export API_TOKEN="a b" x', 'export API_TOKEN="[redacted:secret]" x'],
    ['token: abc123def', 'token: [redacted:secret]'],
    ['{"apiKey": "plain", "a": 1}', '{"apiKey":"[redacted:secret]","a":1}'],
    ['x {"apiKey": "plain", "a": 1}', 'x {"apiKey": "[redacted:secret]", "a": 1}'],
    ["{'client_secret': 'pl\\'ain', 'a': 1}", "{'client_secret': '[redacted:secret]', 'a': 1}"],
    ['{"x":"{\\"password\\":\\"pl ain\\",\\"a\\":1}"}', '{"x":"{\\"password\\":\\"[redacted:secret]\\",\\"a\\":1}"}'],
    ['{"credentials": {"user":"a}","blob":[1]}, "a": 1}', '{"credentials":"[redacted:secret]","a":1}'],
    ['x {"credentials": {"user":"a}","blob":[1]}, "a": 1}', 'x {"credentials": [redacted:secret], "a": 1}'],
    ['AccountName=a;AccountKey=Zm9vYmFyYmF6cXV4==;E=1', 'AccountName=a;AccountKey=[redacted:secret];E=1'],
    ['Server=db;User Id=sa;Password=S3cr!t;', 'Server=db;User Id=sa;Password=[redacted:secret];'],
    [
      'curl -H "Authorization: Bearer abcdef12345" https://x.y',
      'curl -H "Authorization: [redacted:secret]" https://x.y',
    ],
    ['Cookie: sid=abc; theme=dark\nHost: x', 'Cookie: [redacted:secret]\nHost: x'],
    ['X-Api-Key: 0123abcd\r\nAccept: */*', 'X-Api-Key: [redacted:secret]\r\nAccept: */*'],
    ['got Bearer abcDEF123456._- from it', 'got Bearer [redacted:bearer] from it'],
    ['GET /a?page=2&access_token=abc123&x=1', 'GET /a?page=2&access_token=[redacted:secret]&x=1'],
    ['mysql --password hunter2 --host db', 'mysql --password [redacted:secret] --host db'],
    ['curl -u jane:hunter2 https://x.y', 'curl -u [redacted:credentials] https://x.y'],
    ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPx', 'aws_secret_access_key = [redacted:secret]'],
    ['postgres://app:p@ss#1@db:5432/x', 'postgres://[redacted:credentials]@db:5432/x'],
    ['https://token123@github.com/a/b.git', 'https://[redacted:credentials]@github.com/a/b.git'],
    ['{"log":"token: \\"abc\\" sent"}', '{"log":"token: \\"[redacted:secret]\\" sent"}'],
    ['PGPASSWORD=abc psql', 'PGPASSWORD=[redacted:secret] psql'],
    ['the password is hunter2, ok', 'the password is [redacted:secret], ok'],
    ['a:\n  secret: |\n    one\n    two\n  b: 1', 'a:\n  secret: |\n    [redacted:secret]\n  b: 1'],
    ['<password>hunter2</password>', '<password>[redacted:secret]</password>'],
    ['{"name": "API_KEY", "value": "abc"}', '{"name":"API_KEY","value":"[redacted:secret]"}'],
    ['x {"name": "API_KEY", "value": "abc"}', 'x {"name": "API_KEY", "value": "[redacted:secret]"}'],
    ['- name: API_KEY\n  value: abc\n', '- name: API_KEY\n  value: [redacted:secret]\n'],
    ['authorization: Digest username="jane", response="abc"\nx', 'authorization: [redacted:secret]\nx'],
    ['https://x.y/c?se=2025&sig=AbCdEfGh1234567890%2Bxyz%3D&b', 'https://x.y/c?se=2025&sig=[redacted:signature]&b'],
    ['AKIAIOSFODNN7EXAMPLE wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', '[redacted:api_key] [redacted:aws_secret]'],
    ['token: justletters', 'token: [redacted:secret]'],
    ["password: 'string'", "password: '[redacted:secret]'"],
    ['password:\n  hunter2\n', 'password:\n  [redacted:secret]\n'],
  ];
  it.each(cases)('%s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
    expect(redactText(expected)).toBe(expected);
  });
});

describe('redactText: personal data', () => {
  const cases: [text: string, expected: string][] = [
    ['Write to jane.doe@example.org about the harvest', 'Write to [redacted:email] about the harvest'],
    ['<a+b@mail.example.co.uk>, ok', '<[redacted:email]>, ok'],
    ['an jane@münchen.de.', 'an [redacted:email].'],
    ['call +49 151 23456789 now', 'call [redacted:phone] now'],
    ['call +14155552671.', 'call [redacted:phone].'],
    ['call (415) 555-2671 or 415-555-2671', 'call [redacted:phone] or [redacted:phone]'],
    ['card 4111 1111 1111 1111, thanks', 'card [redacted:card], thanks'],
    ['card 5500005555555559', 'card [redacted:card]'],
    ['amex 3714 496353 98431', 'amex [redacted:card]'],
    ['to DE89 3704 0044 0532 0130 00 today', 'to [redacted:iban] today'],
    ['GB29NWBK60161331926819', '[redacted:iban]'],
    ['ssn 123-45-6789', 'ssn [redacted:ssn]'],
  ];
  it.each(cases)('%s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
    expect(redactText(expected)).toBe(expected);
  });
});

describe('redactText and cut texts', () => {
  it.each(Array.from({ length: 60 }, (_, i) => i))('masks a key that a budget of %i bytes cut', (bytes) => {
    const key = `hunter2-${R(40)}`;
    const { value } = snapshotOf({ note: `use ${key}` }, { bytes });
    expect(JSON.stringify(redactValue(value))).not.toContain(key.slice(0, 2));
  });

  it('masks the word that a cut went through', () => {
    const cut = cutString(`my key is sk-proj-${R(200)}`, 40);
    expect(cut).toContain('sk-proj');
    expect(redactText(cut)).toBe(
      'my key is [redacted:cut]…[+192 chars]'.replace('192', /\+(\d+)/.exec(cut)?.[1] ?? ''),
    );
  });
});
