type Values = Readonly<Record<string, unknown>>;

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
