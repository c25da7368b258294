import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, isSeq, type Node, type Pair, parse, parseDocument } from 'yaml';

/**
 * Adds a text to a list in a YAML text, by putting it where it belongs: all other bytes stay, which a YAML writer would not
 * promise. `path` names the list by two keys. `undefined` when that cannot be done, or does not come to `expected`.
 */
export function insertIntoList(
  text: string,
  [group, list]: readonly [string, string],
  item: string,
  expected: unknown,
): string | undefined {
  const document = parseDocument(text);
  const found: unknown = document.getIn([group, list], true);
  const parent: unknown = document.get(group, true);
  const result = isSeq(found)
    ? intoSequence(text, found, item)
    : found === undefined && isMap(parent)
      ? intoMap(text, parent, `${list}: [${item}]`)
      : found === undefined && parent === undefined
        ? `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${group}:\n  ${list}:\n    - ${item}\n`
        : undefined;
  return result !== undefined && isSame(result, expected) ? result : undefined;
}

type Sequence = { readonly flow?: boolean | undefined; readonly items: readonly unknown[] } & Node;

function intoSequence(text: string, list: Sequence, item: string): string | undefined {
  const end = list.range?.[1];
  if (list.flow === true) {
    if (end === undefined || text[end - 1] !== ']') return undefined;
    return `${text.slice(0, end - 1)}${list.items.length === 0 ? '' : ', '}${item}${text.slice(end - 1)}`;
  }
  const last = (list.items.at(-1) as Node | undefined)?.range;
  if (last === undefined || last === null) return undefined;
  const line = lineAround(text, last[0]);
  const [, indent] = /^(\s*)- /.exec(text.slice(line.start, line.end)) ?? [];
  return indent === undefined ? undefined : afterLine(text, line.end, `${indent}- ${item}`);
}

/** As its first entry, so that nothing depends on how the last one is written. */
function intoMap(
  text: string,
  map: { readonly flow?: boolean | undefined; readonly items: readonly Pair[] },
  entry: string,
) {
  const key: unknown = map.items[0]?.key;
  if (map.flow === true || !isScalar(key) || !key.range) return undefined;
  const { start } = lineAround(text, key.range[0]);
  const indent = text.slice(start, key.range[0]);
  return indent.trim() === '' ? `${text.slice(0, start)}${indent}${entry}\n${text.slice(start)}` : undefined;
}

function lineAround(text: string, at: number): { readonly start: number; readonly end: number } {
  const end = text.indexOf('\n', at);
  return { start: text.lastIndexOf('\n', at - 1) + 1, end: end === -1 ? text.length : end };
}

function afterLine(text: string, end: number, line: string): string {
  return `${text.slice(0, end)}\n${line}${text.slice(end)}`;
}

function isSame(text: string, expected: unknown): boolean {
  try {
    return isDeepStrictEqual(parse(text), expected);
  } catch {
    return false;
  }
}
