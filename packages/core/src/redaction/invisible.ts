/**
 * Characters that take no room: soft hyphens, zero-width spaces and joiners, direction marks, fillers of Hangul and Khmer,
 * variation selectors, byte order marks.
 */
const INVISIBLE =
  /\u00ad|\u034f|\u061c|[\u115f\u1160]|[\u17b4\u17b5]|[\u180b-\u180e]|[\u200b-\u200f\u202a-\u202e\u2060-\u206f]|[\ufe00-\ufe0f]|\ufeff/g;

/** `text` without characters that cannot be seen: they hide `pass<U+200B>word` from every search, and from no reader. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}
