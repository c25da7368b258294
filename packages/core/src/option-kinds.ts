import { ObserverError } from './errors.js';

/**
 * What the value of an option must be: as `typeof` says it, one of some words, or what `is` finds right. Of an `own` kind is what
 * whoever has the option looks at itself.
 */
export type OptionKind =
  | 'string'
  | 'number'
  | 'boolean'
  | 'object'
  | 'function'
  | 'own'
  | readonly string[]
  | { readonly is: (value: unknown) => boolean /** What follows on `must`. */; readonly must: string };

export type OptionKinds = Readonly<Record<string, OptionKind>>;

/** @throws ObserverError `HO_OPTION` with this message, where it is not good. */
export function demandOption(isGood: boolean, message: string): asserts isGood {
  if (!isGood) throw new ObserverError('HO_OPTION', message);
}

/**
 * Finds options that nobody knows, and values of a wrong kind. An option that is `undefined` is as if absent.
 *
 * @param place begins each message, such as `instrument: `
 * @throws ObserverError `HO_OPTION`
 */
export function checkKinds(options: object, kinds: OptionKinds, place = ''): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const known = Object.keys(kinds).join(', ');
    demandOption(Object.hasOwn(kinds, name), `${place}there is no option ${name}; there are ${known}.`);
    checkKind(`${place}${name}`, value, kinds[name] as OptionKind);
  }
}

function checkKind(name: string, value: unknown, kind: OptionKind): void {
  if (kind === 'own') return;
  if (typeof kind === 'string') {
    const isGood = typeof value === kind && value !== null;
    demandOption(isGood, `${name} must be ${kind === 'object' ? 'an object' : `a ${kind}`}.`);
  } else if ('is' in kind) {
    demandOption(kind.is(value), `${name} must ${kind.must}.`);
  } else {
    const words = `${kind.slice(0, -1).join(', ')} or ${kind.at(-1)}`;
    const given = typeof value === 'string' ? JSON.stringify(value) : `of type ${typeof value}`;
    demandOption(kind.includes(value as string), `${name} is ${given}; use ${words}.`);
  }
}
