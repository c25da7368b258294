type Values = Readonly<Record<string, unknown>>;

/** Levels of one value that readers of both formats take: parsers of theirs end at 200, and a document has levels of its own. */
const MOST_LEVELS = 64;
/** Stands for what is nested deeper. */
const TOO_DEEP = '[nested too deep]';

/** Attributes as a file can hold them, the same object where they are that already. */
export function plainAttributes(attributes: Values): Values {
  for (const name in attributes) if (!isPlain(attributes[name])) return madePlain(attributes);
  return attributes;
}

function madePlain(attributes: Values): Values {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, plain(value)]));
}

function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return true;
    case 'number':
      return Number.isFinite(value);
    default:
      return (
        value === null || (Array.isArray(value) && value.every((item) => typeof item !== 'object' && isPlain(item)))
      );
  }
}

/** Numbers that JSON has not are texts, as in OTLP; what is no value of an attribute is a text of it, if it has one. */
function plain(value: unknown): unknown {
  if (isPlain(value)) return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.map(plain);
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** A value out of JSON, with a mark in the place of what is nested too deep: the same value where nothing is. */
export function shallow(value: unknown): unknown {
  return isDeeper(value, MOST_LEVELS) ? cutBelow(value, MOST_LEVELS) : value;
}

/** Whether a value out of JSON has more levels than readers take. */
export const isTooDeep = (value: unknown): boolean => isDeeper(value, MOST_LEVELS);

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => isDeeper(item, levels - 1));
}

function cutBelow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((item) => cutBelow(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cutBelow(item, levels - 1)]));
}
