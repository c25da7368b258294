import { isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';

// Changes to a YAML text that leave all bytes beside them as they are, which a YAML writer would not promise. Each may come
// to something else for a text that is written in a way that is not thought of here: callers compare what it means.

/** Two keys that lead to a list. */
export type ListPath = readonly [group: string, list: string];

/** The text with an item at the end of a list, which is made if need be. `undefined` when there is no place for it. */
export function insertItem(text: string, [group, list]: ListPath, item: string): string | undefined {
  const { contents } = parseDocument(text);
  if (contents === null || (isScalar(contents) && sourceOf(text, contents) === '')) {
    return append(text, '', `${group}:`, `  ${list}:`, `    - ${item}`);
  }
  if (!isMap(contents)) return undefined;
  const groupPair = pairOf(contents, group);
  if (groupPair === undefined) {
    if (contents.flow === true) return intoFlow(text, contents, `${group}: {${list}: [${item}]}`);
    const indent = indentOf(text, contents.items[0]);
    return indent === undefined ? undefined : append(text, indent, `${group}:`, `  ${list}:`, `    - ${item}`);
  }
  const groupValue: unknown = groupPair.value;
  if (!isMap(groupValue)) {
    return intoNothing(text, contents, groupPair, [`  ${list}:`, `    - ${item}`], `{${list}: [${item}]}`);
  }
  const listPair = pairOf(groupValue, list);
  if (listPair === undefined) {
    if (groupValue.flow === true) return intoFlow(text, groupValue, `${list}: [${item}]`);
    return asFirst(text, groupValue, `${list}: [${item}]`);
  }
  const listValue: unknown = listPair.value;
  if (!isSeq(listValue)) return intoNothing(text, groupValue, listPair, [`  - ${item}`], `[${item}]`);
  if (listValue.flow === true) return intoFlow(text, listValue, item);
  const last = rangeOf(listValue.items.at(-1));
  if (last === undefined) return undefined;
  const line = lineAround(text, last[0]);
  const [, indent] = /^(\s*)- /.exec(text.slice(line.start, line.end)) ?? [];
  return indent === undefined ? undefined : afterLine(text, line.end, [`${indent}- ${item}`]);
}

/**
 * The text without an item of a list. A list or group that is empty then goes too, unless it is to be kept.
 * `undefined` when it cannot be cut out.
 */
export function removeItem(
  text: string,
  [group, list]: ListPath,
  item: string,
  keep: { readonly group: boolean; readonly list: boolean },
): string | undefined {
  const { contents } = parseDocument(text);
  const groupPair = isMap(contents) ? pairOf(contents, group) : undefined;
  const groupValue: unknown = groupPair?.value;
  const listPair = isMap(groupValue) ? pairOf(groupValue, list) : undefined;
  const listValue: unknown = listPair?.value;
  if (!isMap(contents) || !isMap(groupValue) || !isSeq(listValue) || !groupPair || !listPair) return undefined;
  const index = listValue.items.findIndex((one) => (isScalar(one) ? one.value : one) === item);
  if (index < 0) return undefined;
  const isListGone = listValue.items.length === 1 && !keep.list;
  const isGroupGone = isListGone && groupValue.items.length === 1 && !keep.group;
  if (isGroupGone && groupValue.flow === true) return withoutPair(text, contents, groupPair);
  if (isListGone && groupValue.flow === true) return withoutPair(text, groupValue, listPair);
  if (!isListGone && listValue.flow === true) return outOfFlow(text, listValue.items.map(rangeOf), index);
  if (contents.flow === true) return undefined;
  const places = [
    ...(isGroupGone ? [rangeOf(groupPair.key)] : []),
    ...(isListGone ? [rangeOf(listPair.key)] : []),
    listValue.flow === true ? rangeOf(listValue) : rangeOf(listValue.items[index]),
  ];
  return withoutLines(text, places);
}

type Range = readonly [start: number, end: number];

function rangeOf(node: unknown): Range | undefined {
  const range = (node as Node | null | undefined)?.range;
  return range ? [range[0], range[1]] : undefined;
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function sourceOf(text: string, node: unknown): string {
  const range = rangeOf(node);
  return range === undefined ? '' : text.slice(...range).trim();
}

const endOfLines = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');

function append(text: string, indent: string, ...lines: readonly string[]): string {
  const end = endOfLines(text);
  const start = text === '' || text.endsWith('\n') ? '' : end;
  return `${text}${start}${lines.map((line) => `${indent}${line}${end}`).join('')}`;
}

/** Gives a key its value that has none: below it, or in place of what says that there is none. */
function intoNothing(text: string, map: YAMLMap, pair: Pair, below: readonly string[], inPlace: string) {
  const value = rangeOf(pair.value);
  const key = rangeOf(pair.key);
  if (sourceOf(text, pair.value) !== '' && value !== undefined) {
    return `${text.slice(0, value[0])}${inPlace}${text.slice(value[1])}`;
  }
  const indent = indentOf(text, pair);
  if (map.flow === true || key === undefined || indent === undefined) return undefined;
  return afterLine(
    text,
    lineAround(text, key[0]).end,
    below.map((line) => indent + line),
  );
}

/** As its last entry, right behind the one before, so that a comma or a comment at its end stays where it is. */
function intoFlow(text: string, collection: YAMLMap | YAMLSeq, entry: string): string | undefined {
  const range = rangeOf(collection);
  const last: unknown = collection.items.at(-1);
  if (range === undefined) return undefined;
  if (last === undefined) return `${text.slice(0, range[0] + 1)}${entry}${text.slice(range[0] + 1)}`;
  const { key, value } = last as Pair;
  const at = (rangeOf(last) ?? rangeOf(value) ?? rangeOf(key))?.[1];
  return at === undefined ? undefined : `${text.slice(0, at)}, ${entry}${text.slice(at)}`;
}

/** As its first entry, so that nothing depends on how the last one is written. */
function asFirst(text: string, map: YAMLMap, entry: string): string | undefined {
  const indent = indentOf(text, map.items[0]);
  const key = rangeOf(map.items[0]?.key);
  if (indent === undefined || key === undefined) return undefined;
  const { start } = lineAround(text, key[0]);
  return `${text.slice(0, start)}${indent}${entry}${endOfLines(text)}${text.slice(start)}`;
}

/** What stands before the key of a pair, if it begins its line. */
function indentOf(text: string, pair: Pair | undefined): string | undefined {
  const key = rangeOf(pair?.key);
  if (key === undefined) return undefined;
  const indent = text.slice(lineAround(text, key[0]).start, key[0]).replace(/^\uFEFF/, '');
  return /^ *$/.test(indent) ? indent : undefined;
}

function withoutPair(text: string, map: YAMLMap, pair: Pair): string | undefined {
  const places = map.items.map(({ key, value }): Range | undefined => {
    const [start, end] = [rangeOf(key), rangeOf(value) ?? rangeOf(key)];
    return start && end && [start[0], end[1]];
  });
  const index = map.items.indexOf(pair);
  return map.flow === true ? outOfFlow(text, places, index) : withoutLines(text, [places[index]]);
}

/** With the comma that goes with it. */
function outOfFlow(text: string, places: readonly (Range | undefined)[], index: number): string | undefined {
  const [before, own, after] = [places[index - 1], places[index], places[index + 1]];
  if (own === undefined) return undefined;
  const isComma = (start: number, end: number) => /^\s*,\s*$/.test(text.slice(start, end));
  if (before !== undefined && isComma(before[1], own[0])) return text.slice(0, before[1]) + text.slice(own[1]);
  if (after !== undefined && isComma(own[1], after[0])) return text.slice(0, own[0]) + text.slice(after[0]);
  return text.slice(0, own[0]) + text.slice(own[1]).replace(/^\s*,/, '');
}

/** Cuts whole lines out. A comment that somebody wrote behind what goes stays, on a line of its own. */
function withoutLines(text: string, places: readonly (Range | undefined)[]): string | undefined {
  /** Lines that go, and where the last place in them ends. */
  const spans: { readonly start: number; end: number; until: number }[] = [];
  for (const place of places) {
    if (place === undefined) return undefined;
    const [start, end] = [lineAround(text, place[0]).start, lineAround(text, place[1]).end];
    const last = spans.at(-1);
    if (last === undefined || start > last.end) spans.push({ start, end, until: place[1] });
    else [last.end, last.until] = [Math.max(last.end, end), Math.max(last.until, place[1])];
  }
  let result = text;
  for (const { start, end, until } of spans.toReversed()) {
    const [indent = ''] = /^\s*/.exec(text.slice(start, until)) ?? [];
    const comment = text.slice(until, end).indexOf('#');
    const left = comment < 0 ? '' : indent + text.slice(until + comment, end + 1);
    result = result.slice(0, start) + left + result.slice(end + 1);
  }
  return result;
}

function lineAround(text: string, at: number): { readonly start: number; readonly end: number } {
  const end = text.indexOf('\n', at);
  return { start: text.lastIndexOf('\n', at - 1) + 1, end: end === -1 ? text.length : end };
}

/** `end` is where the line ends that they come behind. */
function afterLine(text: string, end: number, lines: readonly string[]): string {
  const isCarriage = text[end - 1] === '\r';
  return `${text.slice(0, end)}${lines.map((line) => `\n${line}${isCarriage ? '\r' : ''}`).join('')}${text.slice(end)}`;
}
