// What may stand around a secret in a field. Those of the first list leave what a kind needs around it; those of the second
// are for kinds that are known by their form alone.
export const FOR_ALL = {
  bare: (text) => text,
  prose: (text) => `I looked into it, and this is what I found:\n${text}\nPlease use it for the harvest.`,
  json: (text) => JSON.stringify({ note: 'harvest', value: { text } }),
  'json in json': (text) => JSON.stringify({ body: JSON.stringify({ items: [{ text }] }) }),
  'json in json in json': (text) => JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ text }) }) }),
  list: (text) => JSON.stringify(['one', text, 'two']),
  error: (text) => `RequestError: the call failed\n${text}\n    at send (/srv/app/client.js:42:17)`,
  log: (text) => `2026-11-29T21:00:00.123Z INFO worker-3 retry 2\n${text}\n2026-11-29T21:00:01Z INFO done`,
};

export const FOR_FREE = {
  sentence: (text) => `My key is ${text}, thanks.`,
  quoted: (text) => `const value = "${text}";`,
  header: (text) => `X-Note: ${text}\r\nAccept: */*`,
  environment: (text) => `export NOTE=${text}`,
  command: (text) => `curl -d '${text}' https://api.example.org/v1 | tee out.txt`,
  query: (text) => `https://api.example.org/v1?q=${encodeURIComponent(text)}&page=2`,
  path: (text) => `https://api.example.org/v1/items/${encodeURIComponent(text)}`,
  element: (text) => `<note>${text}</note>`,
  'key of json': (text) => JSON.stringify({ [text]: 1 }),
};

/** Placements that are good for a text of a kind. Addresses cannot hold everything. */
export function placementsOf(kind, text) {
  if (!kind.isFree) return Object.keys(FOR_ALL);
  const isPlain = /^[\w.~:=+-]+$/.test(text);
  const free = Object.keys(FOR_FREE).filter((name) => {
    if (name === 'query' || name === 'path') return isPlain && encodeURIComponent(text) === text;
    return !text.includes('\n') || name === 'key of json';
  });
  return [...Object.keys(FOR_ALL), ...free];
}

export const place = (name, text) => (FOR_ALL[name] ?? FOR_FREE[name])(text);
