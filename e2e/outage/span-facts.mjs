// What of a span must arrive, in one form, whoever wrote the JSON: the Collector writes ours anew.

/** @returns a text that is equal for equal spans. */
export function factsOf(span) {
  return JSON.stringify(sorted({ ...span, flags: undefined, traceState: undefined }));
}

const EMPTY = (value) =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && Object.keys(value).length === 0);

function sorted(value, key) {
  if (Array.isArray(value)) {
    const list = value.map((each) => sorted(each));
    return key === 'attributes' ? list.sort((a, b) => (a.key < b.key ? -1 : 1)) : list;
  }
  if (typeof value !== 'object' || value === null) return key === 'intValue' ? String(value) : value;
  const pairs = Object.entries(value)
    .map(([name, each]) => [name, sorted(each, name)])
    .filter(([name, each]) => name.endsWith('Value') || !EMPTY(each))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(pairs);
}
