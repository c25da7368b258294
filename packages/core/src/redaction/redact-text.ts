import { Redactor } from './redactor.js';

export { REDACTED } from './kinds.js';

let redactor: Redactor | undefined;

/** The redactor with nothing set, made when first asked for. */
export function defaultRedactor(): Redactor {
  redactor ??= new Redactor();
  return redactor;
}

/**
 * `text` with secrets and personal data masked as `[redacted:<kind>]`; the words around them stay. Kinds: `private_key`,
 * `webhook_url`, `credentials`, `api_key`, `jwt`, `bot_token`, `client_secret`, `signature` (of a signed URL), `aws_secret`,
 * `bearer`, `secret` and `pii` (by the name of a field), `email`, `card`, `iban`, `ssn`, `phone`, and `cut` for the word a
 * length limit cut through: half a key looks like none. Text that is JSON is looked through by its keys as well. Takes time
 * linear in the text. Fails closed: on any error the result is `[redacted]`.
 */
export function redactText(text: string): string {
  return defaultRedactor().text(text);
}
