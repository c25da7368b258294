import { withoutInvisible } from './invisible.js';

/**
 * What the name of a field says of its value. `secret`: a password, key or the like. `weak`: a word with harmless
 * uses as well (`token`, `pass`), so short numbers stay. `digits`: a number of some digits is secret under it (`pin`), all
 * else is not. `auth`: what may be credentials, or a word for how they are asked for. `pii`: a person's number or address.
 * `own`: what the user asked for.
 */
export type KeyKind = 'secret' | 'weak' | 'digits' | 'auth' | 'pii' | 'own';

/** Words of a list, told apart when they are first asked for: most programs load this and never redact. */
class Words {
  readonly #list: string;
  #set: ReadonlySet<string> | undefined = undefined;

  constructor(list: string) {
    this.#list = list;
  }

  has(word: string): boolean {
    this.#set ??= new Set(this.#list.split(' '));
    return this.#set.has(word);
  }
}

const words = (list: string) => new Words(list);

const SECRET = words(
  'password passwords passwd passwort pwd pw passphrase passcode secret secrets credential credentials creds cookie cookies ' +
    'authorization apikey apikeys apitoken apisecret accesskey accesstoken authtoken authkey refreshtoken idtoken ' +
    'sessiontoken clientsecret secretkey privatekey accountkey sharedaccesskey sharedkey signingkey encryptionkey ' +
    'masterkey connectionstring connstr dsn jwt bearer otp totp cvv cvc mnemonic',
);

/** Words written together: `PGPASSWORD`, `dbpassword`. */
const SECRET_END = /(?:password|passwd|passphrase|secret|apikey|accesskey|privatekey|secretkey|authtoken|accesstoken)$/;

/** Two words side by side that name a secret; either alone does not. */
const SECRET_PAIRS = words(
  'api_key api_keys access_key access_keys private_key private_keys secret_key signing_key encryption_key decryption_key ' +
    'master_key account_key shared_key ssh_key auth_key license_key subscription_key service_key client_key ' +
    'consumer_key deploy_key rsa_key pgp_key gpg_key webhook_key hmac_key app_key application_key storage_key ' +
    'connection_string conn_string conn_str basic_auth http_auth proxy_auth auth_code authorization_code mfa_code ' +
    'verification_code security_code recovery_code recovery_codes backup_code backup_codes seed_phrase pin_code code_verifier client_assertion',
);

/** A last word that makes the value something about the secret, not the secret. */
const ABOUT = words(
  'name type count counts length len size limit limits budget usage url uri endpoint path file filename field policy ' +
    'header expiry expires expiration ttl at in enabled required present valid status ratio rate index idx position ' +
    'prefix ref version algorithm alg format description label hint attempts result purpose arn verified failure success ' +
    'missing domain domains config options settings mode style types provider manager service handler store schema ' +
    'validator error errors message generator parser class info',
);

/** Words that make a token a piece of text or a cursor. */
const TEXT_TOKEN = words(
  'max min total count num number per prompt completion input output reasoning cached cache eos bos pad unk sep cls mask ' +
    'stop next page pagination continuation sync first last special budget usage limit ids length stream logprob to by',
);

const TOKEN_OWNER = words('access refresh auth bearer api id session secret security personal');

const PII_LAST = words('phone phones telephone mobile fax ssn iban passport dob email emails');
const PII_PAIRS = words(
  'phone_number phone_numbers mobile_number telephone_number card_number credit_card passport_number email_address ' +
    'email_addresses social_security of_birth',
);

const LONGEST = 128;
const CACHED = 2000;
const cache = new Map<string, KeyKind | undefined>();

/** Kind of a field by its name, in any case and any of camelCase, snake_case, kebab-case, or words with spaces. */
export function keyKind(key: string): KeyKind | undefined {
  if (key.length > LONGEST) return classify(wordsOf(key.slice(-LONGEST)));
  if (key === 'PWD' || key === 'OLDPWD') return undefined; // the shell's working directory
  let kind = cache.get(key);
  if (kind === undefined && !cache.has(key)) {
    kind = classify(wordsOf(key));
    if (cache.size >= CACHED) cache.clear();
    cache.set(key, kind);
  }
  return kind;
}

/** Letters of other widths and styles, and characters that cannot be seen, would hide a name. */
const plain = (key: string): string => (ASCII.test(key) ? key : withoutInvisible(key.normalize('NFKC')));
const ASCII = /^[\x20-\x7e]*$/;

/** The letters and digits of a name, whatever joins its words. */
export function lettersOf(key: string): string {
  return plain(key)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function wordsOf(key: string): string[] {
  return plain(key)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

function classify(parts: readonly string[]): KeyKind | undefined {
  const last = parts.at(-1);
  if (last === undefined || ABOUT.has(last)) return undefined;
  if (parts.some((word) => SECRET.has(word) || SECRET_END.test(word)) || hasPair(parts, SECRET_PAIRS)) return 'secret';
  const token = tokenKind(parts);
  if (token !== undefined) return token;
  if (last === 'pin' || last === 'pins') return 'digits';
  if (last === 'auth') return 'auth';
  if (last === 'pass') return parts.length > 1 ? 'secret' : 'weak';
  if (PII_LAST.has(last) || hasPair(parts, PII_PAIRS)) return 'pii';
  return undefined;
}

function hasPair(parts: readonly string[], pairs: Words): boolean {
  return parts.some((word, i) => i > 0 && pairs.has(`${parts[i - 1]}_${word}`));
}

function tokenKind(parts: readonly string[]): KeyKind | undefined {
  const single = parts.some((word) => word.endsWith('token'));
  if (!single && !parts.includes('tokens')) return undefined;
  if (parts.some((word) => TEXT_TOKEN.has(word))) return undefined;
  if (parts.some((word) => TOKEN_OWNER.has(word))) return 'secret';
  return single ? 'weak' : undefined;
}
