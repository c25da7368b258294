/**
 * What a person cannot see or what turns text around: controls, format characters (direction overrides, joiners, tags), line and
 * paragraph separators, lone surrogates, everything that Unicode lets a reader ignore, and blanks that look like a space or like
 * nothing. Emoji of several parts are taken apart by it: who approves has to see what is there.
 */
const UNSEEN =
  /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800]/gu;
const PLAIN = /^[\n -~]*$/;

/**
 * `text` with everything that is unseen written as JSON writes it, such as `\u202e`; line breaks stay. Of JSON it makes JSON that
 * says the same.
 */
export function visibleText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSEEN, escaped);
}

/** The same as one line. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll('\n', '\\n');
}

function escaped(character: string): string {
  let units = '';
  for (let i = 0; i < character.length; i++) {
    units += character[i] === '\t' ? '\\t' : `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  }
  return units;
}
