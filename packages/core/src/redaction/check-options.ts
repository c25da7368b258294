import { ObserverError } from '../errors.js';
import { PATTERN_KINDS } from './kinds.js';
import { REDACTION_MODES, type RedactionOptions } from './options.js';

const KNOWN: ReadonlySet<string> = new Set<keyof RedactionOptions>(['patterns', 'keys', 'rule', 'mode', 'salt']);

function demand(isGood: boolean, message: string): void {
  if (!isGood) throw new ObserverError('HO_OPTION', `redaction: ${message}`);
}

/** @throws ObserverError `HO_OPTION` for an option that is unknown or of a wrong kind: it would leave something in. */
export function checkRedactionOptions(options: RedactionOptions): void {
  demand(typeof options === 'object' && options !== null, 'the options must be an object.');
  for (const name of Object.keys(options)) {
    demand(KNOWN.has(name), `there is no option ${name}; there are ${[...KNOWN].join(', ')}.`);
  }
  const { patterns, keys, rule, mode, salt } = options;
  demand(patterns === undefined || (typeof patterns === 'object' && patterns !== null), 'patterns must be an object.');
  for (const [kind, isOn] of Object.entries(patterns ?? {})) {
    demand(
      (PATTERN_KINDS as readonly string[]).includes(kind),
      `there is no pattern ${kind}; there are ${PATTERN_KINDS.join(', ')}.`,
    );
    demand(isOn === undefined || typeof isOn === 'boolean', `pattern ${kind} must be true or false.`);
  }
  demand(
    keys === undefined ||
      (Array.isArray(keys) && keys.every((key) => typeof key === 'string' && /[\p{L}\p{N}]/u.test(key))),
    'keys must be a list of names.',
  );
  demand(rule === undefined || typeof rule === 'function', 'rule must be a function.');
  demand(mode === undefined || REDACTION_MODES.includes(mode), `mode must be ${REDACTION_MODES.join(', ')}.`);
  demand(salt === undefined || (typeof salt === 'string' && salt !== ''), 'salt must be a text that is not empty.');
}
