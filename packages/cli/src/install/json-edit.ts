import type { JsonPlace } from './json-places.js';

// Changes to a JSON text that leave all bytes beside them as they are.

/**
 * The text with a part at the end of an object (with `key`) or an array, in the way the text is written: a line for each
 * part where it has lines.
 */
export function addPart(text: string, place: JsonPlace, value: unknown, key?: string): string {
  const last = place.parts.at(-1);
  const indent = lineIndent(text, place.start);
  const unit = unitOf(text);
  const hasLines = /\n/.test(last === undefined ? text : text.slice(place.start, last.start));
  const json = hasLines ? JSON.stringify(value, undefined, unit) : JSON.stringify(value);
  const part = `${key === undefined ? '' : `${JSON.stringify(key)}:${hasLines || / /.test(text) ? ' ' : ''}`}${json}`;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const own = last === undefined ? indent + unit : lineIndent(text, last.start);
  const indented = hasLines ? part.replaceAll('\n', end + own) : part;
  if (last !== undefined) {
    const at = last.value.end;
    return `${text.slice(0, at)},${hasLines ? end + own : ' '}${indented}${text.slice(at)}`;
  }
  const [open, close] = [place.start + 1, place.end - 1];
  return `${text.slice(0, open)}${hasLines ? `${end}${own}${indented}${end}${indent}` : indented}${text.slice(close)}`;
}

/** The text without a part, and the comma and blanks that go with it. */
export function cutPart(text: string, place: JsonPlace, index: number): string {
  const [before, own, after] = [place.parts[index - 1], place.parts[index], place.parts[index + 1]];
  if (own === undefined) return text;
  if (before !== undefined) return text.slice(0, before.value.end) + text.slice(own.value.end);
  if (after !== undefined) return text.slice(0, own.start) + text.slice(after.start);
  return text.slice(0, place.start + 1) + text.slice(place.end - 1);
}

/** What the line of a place begins with. */
function lineIndent(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? '';
}

/** One level of indentation: that of the first line that has one. */
const unitOf = (text: string) => /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
