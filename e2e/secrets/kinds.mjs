// Kinds of secrets and personal data as they come, each with a maker: `text` is what is planted, with what has to stand
// around it; `needles` are the parts that must not be found anywhere. `isFree` kinds are known by their form, so they may
// stand anywhere; the others need what is around them.
import { UPPER } from './random.mjs';

const free = (name, make) => ({
  name,
  isFree: true,
  make: (r) => {
    const secret = make(r);
    return { text: secret, needles: [secret.slice(-Math.min(20, Math.ceil(secret.length * 0.6)))] };
  },
});

/** A password with what is around it: `make` gets the password. */
const around = (name, make, password = (r) => `pW${r.text(4)}-${r.text(9)}7x`) => ({
  name,
  isFree: false,
  make: (r) => {
    const secret = password(r);
    return { text: make(secret, r), needles: [secret] };
  },
});

const key = (prefix, length, alphabet) => (r) => prefix + r.text(length, alphabet);
const hexKey = (prefix, length) => (r) => prefix + r.hex(length);

const VENDOR_KEYS = [
  ['openai', key('sk-', 48)],
  ['openai project', (r) => `sk-proj-${r.text(74)}T3BlbkFJ${r.text(74)}`],
  ['anthropic', (r) => `sk-ant-api03-${r.text(93)}AA`],
  ['openrouter', hexKey('sk-or-v1-', 64)],
  ['github classic', key('ghp_', 36)],
  ['github oauth', key('gho_', 36)],
  ['github server', key('ghs_', 36)],
  ['github fine-grained', (r) => `github_pat_${r.text(22)}_${r.text(59)}`],
  ['gitlab', key('glpat-', 20)],
  ['gitlab runner', key('glrt-', 20)],
  ['gitlab deploy', key('gldt-', 20)],
  ['slack bot', (r) => `xoxb-${r.digits(12)}-${r.digits(13)}-${r.text(24)}`],
  ['slack user', (r) => `xoxp-${r.digits(12)}-${r.digits(12)}-${r.digits(12)}-${r.hex(32)}`],
  ['slack app', (r) => `xapp-1-A${r.text(10, UPPER)}-${r.digits(13)}-${r.hex(64)}`],
  ['aws key id', key('AKIA', 16, UPPER)],
  ['aws session key id', key('ASIA', 16, UPPER)],
  ['google api', key('AIza', 35)],
  ['google oauth', (r) => `ya29.${r.text(60)}`],
  ['google client secret', key('GOCSPX-', 28)],
  ['stripe live', key('sk_live_', 24)],
  ['stripe restricted', key('rk_live_', 24)],
  ['stripe webhook', key('whsec_', 32)],
  ['npm', key('npm_', 36)],
  ['pypi', key('pypi-AgEIcHlwaS5vcmc', 70)],
  ['rubygems', hexKey('rubygems_', 48)],
  ['docker hub', key('dckr_pat_', 27)],
  ['artifactory', key('AKCp', 69)],
  ['hugging face', key('hf_', 34)],
  ['groq', key('gsk_', 52)],
  ['xai', key('xai-', 80)],
  ['replicate', key('r8_', 37)],
  ['perplexity', key('pplx-', 48)],
  ['nvidia', key('nvapi-', 64)],
  ['langsmith', (r) => `lsv2_pt_${r.hex(32)}_${r.hex(10)}`],
  ['sendgrid', (r) => `SG.${r.text(22)}.${r.text(43)}`],
  ['mailgun', hexKey('key-', 32)],
  ['twilio', hexKey('SK', 32)],
  ['brevo', (r) => `xkeysib-${r.hex(64)}-${r.text(16)}`],
  ['resend', (r) => `re_${r.text(8)}_${r.text(24)}`],
  ['digitalocean', hexKey('dop_v1_', 64)],
  ['databricks', hexKey('dapi', 32)],
  ['shopify', hexKey('shpat_', 32)],
  ['vault', key('hvs.', 92)],
  ['terraform cloud', (r) => `${r.text(14)}.atlasv1.${r.text(64)}`],
  ['pulumi', hexKey('pul-', 40)],
  ['grafana', (r) => `glsa_${r.text(32)}_${r.hex(8)}`],
  ['heroku', key('HRKU-AA', 58)],
  ['fly', key('fo1_', 43)],
  ['vercel', key('vcp_', 56)],
  ['netlify', key('nfp_', 36)],
  ['supabase', hexKey('sbp_', 40)],
  ['planetscale', key('pscale_pw_', 43)],
  ['tailscale', (r) => `tskey-auth-${r.text(12)}-${r.text(32)}`],
  ['doppler', key('dp.pt.', 43)],
  ['dynatrace', (r) => `dt0c01.${r.text(24, UPPER)}.${r.text(64, UPPER)}`],
  ['postman', (r) => `PMAK-${r.hex(24)}-${r.hex(34)}`],
  ['airtable', (r) => `pat${r.text(14)}.${r.hex(64)}`],
  ['linear', key('lin_api_', 40)],
  ['notion', (r) => `ntn_${r.digits(11)}${r.text(35)}`],
  ['figma', key('figd_', 40)],
  ['atlassian', (r) => `ATATT3xFfGF0${r.text(170)}=${r.hex(8).toUpperCase()}`],
  ['new relic', key('NRAK-', 27, UPPER)],
  ['sentry', hexKey('sntryu_', 64)],
  ['square', key('sq0atp-', 22)],
  ['age', key('AGE-SECRET-KEY-1', 58, UPPER)],
  ['buildkite', hexKey('bkua_', 40)],
  ['sonarqube', hexKey('squ_', 40)],
  ['alibaba', key('LTAI', 20)],
  ['azure client secret', (r) => `${r.text(3)}8Q~${r.text(34)}`],
  ['json web token', (r) => `eyJhbGciOiJIUzI1NiJ9.eyJ${r.text(40)}.${r.text(43)}`],
  ['telegram bot', (r) => `${r.digits(8).replace(/^0/, '7')}1:AA${r.text(33)}`],
  ['discord bot', (r) => `MTE${r.text(20)}a1B.${r.text(6)}.${r.text(38)}`],
].map(([name, make]) => free(name, make));

const PRIVATE_KEYS = ['RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED ', ''].map((sort) => ({
  name: `${sort}private key`,
  isFree: true,
  make: (r) => {
    const lines = Array.from({ length: 4 }, () => r.text(64));
    return {
      text: `-----BEGIN ${sort}PRIVATE KEY-----\n${lines.join('\n')}\n-----END ${sort}PRIVATE KEY-----`,
      needles: lines,
    };
  },
}));

const ADDRESSES = [
  ...['postgres', 'mysql', 'mongodb+srv', 'redis', 'amqp', 'https'].map((scheme) =>
    around(`${scheme} address`, (p, r) => `${scheme}://app:${p}@db-${r.hex(4)}.example.org:5432/main`),
  ),
  around(
    'token in a git address',
    (p) => `https://${p}@git.example.org/a/b.git`,
    (r) => `x${r.text(24)}`,
  ),
  around(
    'slack webhook',
    (p) => `https://hooks.slack.com/services/${p}`,
    (r) => `T${r.text(8, UPPER)}/B${r.text(8, UPPER)}/${r.text(24)}`,
  ),
  around(
    'discord webhook',
    (p) => `https://discord.com/api/webhooks/${p}`,
    (r) => `${r.digits(18)}/${r.text(68)}`,
  ),
  around(
    'signed address',
    (p) => `https://blob.example.org/c?se=2026&sig=${p}`,
    (r) => `${r.text(43)}%3D`,
  ),
  around('token in an address', (p) => `https://api.example.org/v1?page=2&access_token=${p}`),
];

const NAMED = [
  around('password=', (p) => `password=${p}`),
  around('PASSWORD: ', (p) => `DB_PASSWORD: ${p}`),
  around('quoted password', (p) => `password = "${p}"`),
  around('the password is', (p) => `the password is ${p}`),
  around('password is:', (p) => `password is: ${p}`),
  around('camelCase secret', (p) => `clientSecret: '${p}'`),
  around('kebab-case key', (p) => `x-api-key: ${p}`),
  around('hidden letters', (p) => `pass\u200bword=${p}`),
  around('exported token', (p) => `export API_TOKEN=${p}`),
  around('option with a token', (p) => `deploy --auth-token ${p}`),
  around(
    'bearer header',
    (p) => `Authorization: Bearer ${p}`,
    (r) => r.text(32),
  ),
  around(
    'basic header',
    (p) => `Authorization: Basic ${p}`,
    (r) => `${r.text(30)}==`,
  ),
  around('cookie header', (p) => `Cookie: sid=${p}`),
  around('session cookie', (p) => `Set-Cookie: session=${p}; Path=/`),
  around('npmrc', (p) => `//registry.example.org/:_authToken=${p}`),
  around('netrc', (p) => `machine git.example.org login app password ${p}`),
  around('mysql -p', (p) => `mysql -uroot -p${p} main`),
  around('sshpass -p', (p) => `sshpass -p ${p} ssh app@host`),
  around('redis-cli -a', (p) => `redis-cli -h host -a ${p} ping`),
  around('docker login -p', (p) => `docker login -u app -p ${p} registry.example.org`),
  around('curl -u', (p) => `curl -u app:${p} https://api.example.org`),
  around(
    'storage account',
    (p) => `AccountName=a;AccountKey=${p};EndpointSuffix=x`,
    (r) => `${r.text(86)}==`,
  ),
  around('sql server', (p) => `Server=db;User Id=sa;Password=${p};`),
  around(
    'aws secret',
    (p) => `aws_secret_access_key = ${p}`,
    (r) => r.text(40),
  ),
  around(
    'aws pair',
    (p, r) => `AKIA${r.text(16, UPPER)} ${p}`,
    (r) => `aB3${r.text(37)}`,
  ),
  around('json field', (p) => JSON.stringify({ user: 'app', password: p })),
  around('tuple', (p) => `auth=('app', '${p}')`),
  around('element', (p) => `<password>${p}</password>`),
  around(
    'one-time code',
    (p) => `otp: ${p}`,
    (r) => `8${r.digits(9)}`,
  ),
  around(
    'pin',
    (p) => `pin: ${p}`,
    (r) => `9${r.digits(9)}`,
  ),
];

function luhn(digits) {
  for (let check = 0; check < 10; check++) {
    const sum = [...`${digits}${check}`].reverse().reduce((total, digit, i) => {
      const part = Number(digit) * (i % 2 === 0 ? 1 : 2);
      return total + (part > 9 ? part - 9 : part);
    }, 0);
    if (sum % 10 === 0) return `${digits}${check}`;
  }
  return digits;
}

function iban(country, account) {
  const number = [...`${account}${country}00`].map((char) => Number.parseInt(char, 36)).join('');
  return `${country}${String(98n - (BigInt(number) % 97n)).padStart(2, '0')}${account}`;
}

const whole = (name, make) => ({
  name,
  isFree: true,
  make: (r) => {
    const text = make(r);
    return { text, needles: [text] };
  },
});

const PERSONAL = [
  whole('e-mail', (r) => `${r.text(6).toLowerCase()}.${r.text(5).toLowerCase()}@mail.example.org`),
  whole('international phone', (r) => `+49 151 ${r.digits(8)}`),
  whole('american phone', (r) => `(${2 + r.below(8)}15) ${2 + r.below(8)}${r.digits(2)}-${r.digits(4)}`),
  whole('visa', (r) => luhn(`4${r.digits(14)}`)),
  whole('mastercard in groups', (r) => luhn(`5${1 + r.below(5)}${r.digits(13)}`).replace(/(\d{4})(?=\d)/g, '$1 ')),
  whole('american express', (r) => luhn(`37${r.digits(12)}`)),
  whole('german account', (r) => iban('DE', r.digits(18))),
  whole('british account', (r) => iban('GB', `NWBK${r.digits(14)}`)),
  whole('french account in groups', (r) => iban('FR', r.digits(23)).replace(/(.{4})(?=.)/g, '$1 ')),
  whole(
    'social security number',
    (r) => `${1 + r.below(5)}${1 + r.below(9)}${r.below(10)}-${1 + r.below(9)}${r.below(10)}-${r.digits(4)}`,
  ),
];

export const KINDS = [...VENDOR_KEYS, ...PRIVATE_KEYS, ...ADDRESSES, ...NAMED, ...PERSONAL];
