import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../snapshot/json.js';
import { snapshot } from '../snapshot/snapshot.js';
import { redactText } from './redact-text.js';
import { redactValue } from './redact-value.js';
import { keyKind } from './secret-keys.js';

const S = '[redacted:secret]';

describe('keyKind', () => {
  it.each([
    'api_key',
    'apikey',
    'apiKey',
    'API-KEY',
    'OPENAI_API_KEY',
    'x-api-key',
    'authorization',
    'Proxy-Authorization',
    'password',
    'passwd',
    'userPassword',
    'secret',
    'clientSecret',
    'access_token',
    'accessTokens',
    'refreshToken',
    'aws_secret_access_key',
    'AWSAccessKeyId',
    'privateKey',
    'Set-Cookie',
    'session cookie',
    'credentials',
    'connection_string',
    'ConnectionString',
    'db_pass',
    'AccountKey',
    'otp',
  ])('%s is secret', (key) => expect(keyKind(key)).toBe('secret'));

  it.each(['token', 'bot_token', 'TOKEN', 'pass'])('%s is weak', (key) => expect(keyKind(key)).toBe('weak'));

  it.each([
    'max_tokens',
    'prompt_tokens',
    'total_tokens',
    'tokens',
    'tokenizer',
    'token_count',
    'maxTokens',
    'reasoning_tokens',
    'eos_token',
    'token_type',
    'key',
    'session_id',
    'session_key',
    'pattern_key',
    'rule_key',
    'cache_key',
    'primary_key',
    'public_key',
    'keyboard',
    'author',
    'passage',
    'password_length',
    'secretName',
    'next_page_token',
    'cookiePolicy',
    'tool_call_id',
    'context_length',
    '',
    'text',
    'monkey',
    'compass',
    'exit_code',
  ])('%s tells nothing', (key) => expect(keyKind(key)).toBe(undefined));
});

describe('redactValue', () => {
  it('masks by name at any depth and keeps the rest', () => {
    const source = {
      args: {
        header: 'Authorization: Bearer sk-proj-Zx81QmT4vB7nLw29Rk55Yd60Hs3Gf',
        api_key: 'plain',
        note: 'apple harvest',
      },
      list: [{ deep: { Password: 'x', cookies: [{ name: 'sid', value: '1' }] } }],
      usage: { prompt_tokens: 90, token: 12, max_tokens: 4096 },
      password: null,
      secret: '',
      token: true,
      pin: 1,
    };
    expect(redactValue(source)).toEqual({
      args: { header: 'Authorization: [redacted:secret]', api_key: S, note: 'apple harvest' },
      list: [{ deep: { Password: S, cookies: S } }],
      usage: { prompt_tokens: 90, token: 12, max_tokens: 4096 },
      password: null,
      secret: '',
      token: true,
      pin: 1,
    });
  });

  it('sees names that are values', () => {
    expect(redactValue({ name: 'Authorization', value: 'abc' })).toEqual({ name: 'Authorization', value: S });
    expect(redactValue(['X-Api-Key', 'abc'])).toEqual(['X-Api-Key', S]);
    expect(redactValue(['curl', '--token', 'abc', 'x'])).toEqual(['curl', '--token', S, 'x']);
    expect(redactValue({ name: 'note', value: 'abc' })).toEqual({ name: 'note', value: 'abc' });
  });

  it('keeps the schema of a field with such a name, without its content', () => {
    const schema = { properties: { password: { type: 'string', description: 'to log in', default: 'hunter2' } } };
    expect(redactValue(schema)).toEqual({
      properties: { password: { type: 'string', description: 'to log in', default: S } },
    });
    expect(redactValue({ password: { type: 'string', value: 'hunter2' } })).toEqual({ password: S });
  });

  it('masks keys, numbers, and does not lose what is masked alike', () => {
    expect(redactValue({ 'a@b.org': 1, 'c@d.org': 2 })).toEqual({ '[redacted:email]': 1, '[redacted:email]#2': 2 });
    expect(redactValue([4111111111111111, 1764450000123456])).toEqual(['[redacted:card]', 1764450000123456]);
  });

  it('fails closed', () => {
    const loop: JsonValue[] = [];
    loop.push(loop);
    expect(redactValue(loop)).toBe('[redacted]');
    const broken = {
      get text(): string {
        throw new Error('no');
      },
    };
    expect(redactValue(broken)).toBe('[redacted]');
    expect(redactText(1 as unknown as string)).toBe('[redacted]');
  });

  it('does not pollute', () => {
    const copy = redactValue(JSON.parse('{"__proto__":{"password":"x"}}')) as object;
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"password":"[redacted:secret]"}}');
  });

  it('leaves no password whatever surrounds it', () => {
    const secret = 'pLain7looking';
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 3 }),
        fc.string(),
        fc.constantFrom('password', 'apiKey', 'x-auth-token'),
        (value, text, key) => {
          const source = {
            before: value,
            text,
            inner: [{ [key]: secret }],
            json: JSON.stringify({ a: value, text, [key]: secret }),
          };
          expect(JSON.stringify(redactValue(snapshot(source)))).not.toContain(secret);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            'password',
            '=',
            ': ',
            '"',
            "'",
            'abc123',
            ' ',
            '\n',
            'token',
            '\\',
            '{',
            '}',
            'a@b.org',
            'Bearer ',
            '--',
          ),
        ),
        (parts) => {
          const once = redactText(parts.join(''));
          expect(redactText(once)).toBe(once);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

it('takes no longer for each of many names that are masked alike', () => {
  const value = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`u${i}@example.com`, i]));
  const began = performance.now();
  const redacted = redactValue(value);
  expect(performance.now() - began).toBeLessThan(5_000);
  expect(Object.keys(redacted as object)).toHaveLength(20_000);
  expect(redacted).toMatchObject({ '[redacted:email]': 0, '[redacted:email]#20000': 19_999 });
});
