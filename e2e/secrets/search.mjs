/** The forms in which a text may stand in a file: as it is, in JSON, in JSON of JSON, in an address. */
function formsOf(needle) {
  const once = JSON.stringify(needle).slice(1, -1);
  const forms = [needle, once, JSON.stringify(once).slice(1, -1), encodeURIComponent(needle), encodeURI(needle)];
  return [...new Set(forms)];
}

/**
 * Which of the planted are found in some bytes.
 *
 * @param {Buffer} bytes
 * @param {{ kind: string, needles: string[] }[]} planted
 * @returns {{ kind: string, needle: string, where: string }[]} the first place of each
 */
export function found(bytes, planted) {
  const hits = [];
  for (const { kind, needles } of planted) {
    const hit = needles
      .flatMap(formsOf)
      .map((form) => [form, bytes.indexOf(form)])
      .find(([, at]) => at >= 0);
    if (hit !== undefined) hits.push({ kind, needle: hit[0], where: nearby(bytes, hit[1]) });
  }
  return hits;
}

/** The name of the attribute that a place in OTLP/JSON is in, and some text around it. */
function nearby(bytes, at) {
  const before = bytes.subarray(Math.max(0, at - 20_000), at).toString();
  const names = [...before.matchAll(/"(?:key|name)":"([^"]{1,120})","(?:value|kind|time)|"name":"/g)];
  const text = bytes
    .subarray(Math.max(0, at - 80), at + 60)
    .toString()
    .replaceAll('\n', '⏎');
  return `${names.at(-1)?.[1] ?? 'a name'}: …${text}…`;
}
