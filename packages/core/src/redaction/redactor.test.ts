import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../snapshot/json.js';
import { PATTERN_KINDS } from './kinds.js';
import type { RedactionOptions } from './options.js';
import { Redactor } from './redactor.js';

const S = '[redacted:secret]';
const GITHUB = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

describe('patterns', () => {
  const samples: Record<string, string> = {
    private_key: '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----',
    webhook_url: 'hooks.slack.com/services/T00000000/B00000000/XXXX',
    credentials: 'https://jane:hunter2@example.org/',
    api_key: GITHUB,
    jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl',
    bot_token: `110201543:AA${'aB3dE5gH7jK9mN1pQ4rS6tU8vW0xY2zA1'}`,
    client_secret: `abc8Q~${'aB3dE5gH7jK9mN1pQ4rS6tU8vW0xY2zA1b'}`,
    signature: 'https://x.y/c?sig=AbCdEfGh1234567890',
    aws_secret: 'id AKIAIOSFODNN7EXAMPLE: wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    bearer: 'got Bearer abcDEF123456',
    secret: 'password=hunter2',
    email: 'mail jane@example.org',
    card: 'card 4111 1111 1111 1111',
    iban: 'to GB29NWBK60161331926819',
    ssn: 'ssn 123-45-6789',
    phone: 'call +49 151 23456789',
    ipv4: 'from 10.1.2.3',
    ipv6: 'from 2001:db8::1',
  };

  it.each(Object.entries(samples))('%s goes where it is on, and stays where it is off', (kind, text) => {
    const on = new Redactor({ patterns: { [kind]: true } });
    expect(on.text(text)).toContain(`[redacted:${kind}]`);
    expect(on.counts).toMatchObject({ [kind]: 1 });
    const off = Object.fromEntries(PATTERN_KINDS.map((name) => [name, false]));
    expect(new Redactor({ patterns: off }).text(text)).toBe(text);
    expect(new Redactor({ patterns: { [kind]: false } }).text(text)).not.toContain(`[redacted:${kind}]`);
  });

  it('of addresses of machines are off unless asked for, and know a time and the own machine', () => {
    const text = 'from 10.1.2.3 and 2001:db8::1 at 12:30:05';
    expect(new Redactor().text(text)).toBe(text);
    const redactor = new Redactor({ patterns: { ipv4: true, ipv6: true } });
    expect(redactor.text(text)).toBe('from [redacted:ipv4] and [redacted:ipv6] at 12:30:05');
    const harmless =
      '127.0.0.1 0.0.0.0 1.2.3 1.2.3.4.5 v1.2.3.4-rc 300.1.1.1 :: ::1 a::b std::vector 00:11:22:33:44:55';
    expect(redactor.text(harmless)).toBe(harmless.replace('a::b', '[redacted:ipv6]'));
    expect(redactor.text('::ffff:192.0.2.1 fe80::1')).toBe('[redacted:ipv6] [redacted:ipv6]');
  });
});

describe('keys of the user', () => {
  const redactor = new Redactor({ keys: ['customerName', 'x-ward'] });
  it.each([
    'customerName',
    'customer_name',
    'customer-name',
    'CUSTOMER_NAME',
    'CustomerName',
    'customername',
    'X_WARD',
  ])('are found as %s', (key) => {
    expect(redactor.value({ a: { [key]: { first: 'Jane' } } })).toEqual({ a: { [key]: '[redacted:key]' } });
    expect(redactor.text(`a ${key}=Jane b`)).toBe(`a ${key}=[redacted:key] b`);
    expect(redactor.entry(key, 'Jane')).toBe('[redacted:key]');
  });

  it('are whole names, and the others stay known', () => {
    const harmless = { the_customer_name: 'Jane', customer: 'Jane' };
    expect(redactor.value(harmless)).toEqual(harmless);
    expect(redactor.text('customer name: Jane, password=hunter2')).toBe(`customer name: [redacted:key], password=${S}`);
  });
});

describe('JSON in texts', () => {
  it('is redacted by its keys at each depth, and stays JSON', () => {
    let text = JSON.stringify({ password: 'hunter2', list: ['--token', 'abc'], pin: 4821, n: 1 });
    for (let depth = 0; depth < 4; depth++) text = JSON.stringify({ text, other: [1, 'x'] });
    let parsed: unknown = JSON.parse(new Redactor().text(text));
    for (let depth = 0; depth < 4; depth++) parsed = JSON.parse((parsed as { text: string }).text);
    expect(parsed).toEqual({ password: S, list: ['--token', S], pin: S, n: 1 });
  });

  it('deeper than it is read is searched as text', () => {
    let text = JSON.stringify({ password: 'hunter2' });
    for (let depth = 0; depth < 7; depth++) text = JSON.stringify({ text });
    expect(new Redactor().text(text)).not.toContain('hunter2');
  });

  it('stays as it was written when there is nothing to hide', () => {
    for (const text of ['{ "a" : 1.0,"b":[ ] }', '{"n":1764450000123456789}', '[1,\n 2]', '"x"', '{"a":1,"a":2}']) {
      expect(new Redactor().text(text)).toBe(text);
    }
  });

  it('hides nothing in a field that another one of its name covers', () => {
    const text = '{"password":"hunter2","password":""}';
    expect(new Redactor().text(text)).toBe('{"password":""}');
  });

  it('hides nothing behind escapes', () => {
    const text = String.raw`{"p\u0061ssword":"hunter2","t":"\u0067hp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
    expect(new Redactor().text(text)).toBe(`{"password":"${S}","t":"[redacted:api_key]"}`);
  });

  it('tells the secret key of AWS by the key id in another field', () => {
    const pair = { id: 'AKIAQ3EXAMPLE7QRSTUV', s: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
    const masked = { id: '[redacted:api_key]', s: '[redacted:aws_secret]' };
    expect(new Redactor().text(JSON.stringify(pair))).toBe(JSON.stringify(masked));
    expect(new Redactor().value({ s: pair.s, id: pair.id })).toEqual({ s: masked.s, id: masked.id });
    expect(new Redactor().value({ s: pair.s })).toEqual({ s: pair.s });
  });

  it('that is too deep for the machine is masked whole', () => {
    const redactor = new Redactor();
    const text = `${'['.repeat(200_000)}"ghp"${']'.repeat(200_000)}`;
    expect(redactor.text(text)).toMatch(/^\[redacted\]$/);
    expect(redactor.counts).toEqual({ error: 1 });
    expect(redactor.text('password=hunter2')).toBe(`password=${S}`);
  });
});

describe('places that searches forget', () => {
  it.each([
    ['the password is: hunter2 ok', `the password is: ${S} ok`],
    ['the password was hunter2', `the password was ${S}`],
    ['mysql -uroot -phunter2 db', `mysql -uroot -p${S} db`],
    ['mysqldump -p"a b" db', `mysqldump -p"${S}" db`],
    ['mysql -p db; mysql -h x', 'mysql -p db; mysql -h x'],
    ['sshpass -p hunter2 ssh a', `sshpass -p ${S} ssh a`],
    ['redis-cli -h x -a hunter2 ping', `redis-cli -h x -a ${S} ping`],
    ['docker login -u jane -p hunter2 reg', `docker login -u jane -p ${S} reg`],
    ['docker run -p 80:80 -u 1000:1000 x', 'docker run -p 80:80 -u 1000:1000 x'],
    ['smbclient //h/s -U jane%hunter2', `smbclient //h/s -U jane%${S}`],
    ['machine a.org login jane password hunter2', `machine a.org login jane password ${S}`],
    ['default\n  login jane\n  password hunter2\n', `default\n  login jane\n  password ${S}\n`],
    ['pass\u200bword=hunter2', `password=${S}`],
    ['ghp_a1B2c3D4e5\u200dF6g7H8i9J0k1L2m3N4o5P6q7R8', '[redacted:api_key]'],
    ["auth=('jane', 'hunter2')", `auth=(${S})`],
    ['auth: ["jane","hunter2"]', `auth: [${S}]`],
    ['"auth": "amFuZTpodW50ZXIy"', `"auth": "${S}"`],
    ['auth: oauth2', 'auth: oauth2'],
    ['pin: 4821', `pin: ${S}`],
    ['gpio pin: 12', 'gpio pin: 12'],
    ['\u4e61ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8', '\u4e61[redacted:api_key]'],
    ['x%20ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8', 'x%20[redacted:api_key]'],
  ])('%s', (text, expected) => {
    expect(new Redactor().text(text)).toBe(expected);
  });

  it('are names of fields with characters that cannot be seen, or of other widths', () => {
    expect(new Redactor().value({ 'pass\u200bword': 'hunter2', ｔｏｋｅｎ: 'abc', auth: ['jane', 'hunter2'] })).toEqual(
      {
        'pass\u200bword': S,
        ｔｏｋｅｎ: S,
        auth: S,
      },
    );
  });

  it('leaves characters that cannot be seen where nothing hides behind them', () => {
    expect(new Redactor().text('👩\u200d💻 می\u200cخواهم')).toBe('👩\u200d💻 می\u200cخواهم');
  });

  it('are behind the parts that a long text is read in', () => {
    for (let n = 65_500; n < 65_545; n++) {
      const text = `${'x '.repeat(n / 2)}${n % 2 === 0 ? '' : ' '}${GITHUB} password=hunter2`;
      const redacted = new Redactor().text(text);
      expect(redacted.slice(-60)).not.toMatch(/ghp_|hunter2/);
    }
  });
});

describe('a rule of the user', () => {
  const fail = () => {
    throw new Error('no');
  };
  const ruled = (rule: unknown) => new Redactor({ rule } as RedactionOptions);

  it('sees each value with its path, and gives another one', () => {
    const seen: string[] = [];
    const redactor = ruled((value: unknown, path: unknown[]) => {
      seen.push(path.join('.'));
      return typeof value === 'string' ? value.replace('Jane', '(name)') : value;
    });
    expect(redactor.value({ a: ['Jane Doe', 5, true, null], b: '{"c":"Jane"}' }, ['top'])).toEqual({
      a: ['(name) Doe', 5, true, null],
      b: '{"c":"(name)"}',
    });
    expect(seen).toEqual(['top.a.0', 'top.a.1', 'top.a.2', 'top.a.3', 'top.b.c']);
    expect(ruled(() => `say ${GITHUB}`).text('x y z')).toBe('say [redacted:api_key]');
  });

  it.each<[string, unknown]>([
    ['throws', fail],
    ['promises', async () => 'ok'],
    ['rejects', async () => Promise.reject(new Error('no'))],
    ['gives nothing', () => undefined],
    ['gives an object', () => ({})],
    ['gives a list', () => ['x']],
    ['gives NaN', () => Number.NaN],
    ['gives a symbol', () => Symbol('x')],
    ['gives what throws when it is looked at', () => new Proxy({}, { get: () => fail() })],
  ])('that %s masks the value whole', async (_, rule) => {
    const redactor = ruled(rule);
    expect(redactor.value({ a: 'Jane', b: 5 })).toEqual({ a: '[redacted:rule]', b: '[redacted:rule]' });
    expect(redactor.text('plain words')).toBe('[redacted:rule]');
    expect(redactor.counts).toEqual({ rule: 3 });
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('modes', () => {
  it('hash: equal values have equal marks under one salt, and other ones under another', () => {
    const redactor = new Redactor({ mode: 'hash', salt: 'a' });
    const [one, two] = [redactor.text('password=hunter2'), redactor.value({ password: 'hunter2' })];
    expect(one).toMatch(/^password=\[redacted:secret:[0-9a-f]{12}\]$/);
    expect(two).toEqual({ password: one.slice('password='.length) });
    expect(redactor.text(one)).toBe(one);
    expect(redactor.text('password=hunter3')).not.toBe(one);
    expect(new Redactor({ mode: 'hash', salt: 'b' }).text('password=hunter2')).not.toBe(one);
    const own = new Redactor({ mode: 'hash' }).text('password=hunter2');
    expect(own).not.toContain('hunter2');
    expect(new Redactor({ mode: 'hash' }).text('password=hunter2')).toBe(own);
  });

  it('remove: what is found goes, and a name with it where the value was whole', () => {
    const redactor = new Redactor({ mode: 'remove' });
    expect(redactor.value({ password: 'hunter2', text: 'to a@b.org now', list: ['--token', 'abc', 1] })).toEqual({
      text: 'to  now',
      list: ['--token', 1],
    });
    expect(redactor.text('{"a":1,"password":"hunter2"}')).toBe('{"a":1}');
    expect(redactor.entry('password', 'hunter2')).toBe(undefined);
    expect(redactor.counts).toEqual({ secret: 4, email: 1 });
  });

  it.each(['mask', 'hash', 'remove'] as const)('%s: leaves nothing of a secret, wherever it stands', (mode) => {
    const redactor = new Redactor({ mode, salt: 'x' });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.string(), (value, text) => {
        const source = { value, text: `${text} ${GITHUB}`, password: GITHUB, [GITHUB]: 1, inner: [{ a: GITHUB }] };
        const redacted = redactor.value(JSON.parse(JSON.stringify(source)) as JsonValue);
        expect(JSON.stringify(redacted)).not.toContain('a1B2c3D4');
        expect(redactor.text(JSON.stringify(source))).not.toContain('a1B2c3D4');
      }),
      { numRuns: 200 },
    );
  });
});

describe('wrong options are refused', () => {
  it.each<[string, unknown]>([
    ['pattern', { patterns: { emails: true } }],
    ['pattern email', { patterns: { email: 'no' } }],
    ['keys', { keys: ['a', ''] }],
    ['keys', { keys: 'password' }],
    ['rule', { rule: 'x' }],
    ['mode', { mode: 'delete' }],
    ['salt', { mode: 'hash', salt: '' }],
    ['maks', { maks: true }],
    ['options', null],
  ])('%s', (name, options) => {
    expect(() => new Redactor(options as RedactionOptions)).toThrow(
      expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(name) }),
    );
  });
});
