/**
 * What would not show, or would show other text than there is: control characters, overrides of the writing direction,
 * spaces of no width, halves of characters. The joiner of emoji (U+200D) and of some scripts (U+200C) are left alone.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: one by one
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/** More marks than any script heaps on one letter. */
const HEAPED = /(\p{M}{6})\p{M}+/gu;
/** Nothing of the kind in it, which is the rule. */
const PLAIN = /^[\t\n -~]*$/;

/** The names of ASCII; fonts have few of the pictures that Unicode has for these. */
const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );

/** Captured text for a person: what is hidden in it is shown as `⟨ESC⟩` or `⟨U+202E⟩`. Line ends stay. */
export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, shown).replace(HEAPED, '$1⟨marks⟩');
}

function shown(character: string): string {
  const code = character.charCodeAt(0);
  const name = code === 0x7f ? 'DEL' : CONTROLS[code];
  if (name !== undefined) return `⟨${name}⟩`;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** On one line, at most `length` characters and a mark. */
export function visibleLine(text: string, length = 300): string {
  const cut = text.length > length ? `${cutText(text, length)}…` : text;
  return visibleText(cut.replace(/\s+/g, ' ').trim());
}

/** The first `length` units at most; no character is cut in half. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}
