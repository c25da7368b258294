/** A step into arguments: a key, a place in a list, or all places of a list. */
export type PathStep = string | number | typeof EACH;
export const EACH = Symbol('[*]');

const NAME = /^[^.[\]"'\\]+/;
const QUOTED = /^\["((?:[^"\\]|\\["\\])*)"\]/;
const INDEX = /^\[(\d{1,7})\]/;

/**
 * Reads `amount`, `items[0].path`, `items[*].path`, `["a.key"].b`. Throws a `SyntaxError` that names the place from which it
 * makes no sense.
 */
export function parseArgPath(path: string): readonly PathStep[] {
  const steps: PathStep[] = [];
  let rest = path;
  while (rest !== '' || steps.length === 0) {
    const quoted = QUOTED.exec(rest);
    const index = INDEX.exec(rest);
    if (quoted !== null) steps.push((quoted[1] ?? '').replace(/\\(.)/g, '$1'));
    else if (index !== null) steps.push(Number(index[1]));
    else if (rest.startsWith('[*]')) steps.push(EACH);
    else {
      const dotted = steps.length > 0 && rest.startsWith('.');
      const name = dotted || steps.length === 0 ? NAME.exec(dotted ? rest.slice(1) : rest) : null;
      if (name === null)
        throw new SyntaxError(`no path into arguments: ${JSON.stringify(path)}, from ${JSON.stringify(rest)} on`);
      steps.push(name[0]);
      rest = rest.slice(name[0].length + (dotted ? 1 : 0));
      continue;
    }
    rest = rest.slice((quoted ?? index ?? ['[*]'])[0].length);
  }
  return steps;
}

/** All values at a path, own properties alone. Empty where there are none. */
export function valuesAt(root: unknown, steps: readonly PathStep[]): readonly unknown[] {
  let values: unknown[] = [root];
  for (const step of steps) {
    const next: unknown[] = [];
    for (const value of values) {
      if (step === EACH) {
        if (Array.isArray(value)) for (const item of value) next.push(item);
      } else if (typeof value === 'object' && value !== null && Object.hasOwn(value, step)) {
        if (typeof step === 'string' || Array.isArray(value))
          next.push((value as Record<string | number, unknown>)[step]);
      }
    }
    values = next;
    if (values.length === 0) break;
  }
  return values;
}
