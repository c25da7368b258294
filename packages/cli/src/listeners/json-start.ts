const SPACES = new Set([' ', '\t', '\r', '\n']);
/** Of objects, lists, strings, numbers, `true`, `false` and `null`. */
const STARTS = new Set('{["-0123456789tfn');

/**
 * Whether a line begins as JSON does. Each text that the parser refuses stays in memory until the next full collection, with
 * what was made for its error: bytes without sense are not shown to it.
 */
export function beginsAsJson(text: string): boolean {
  let at = 0;
  while (SPACES.has(text.charAt(at))) at++;
  return STARTS.has(text.charAt(at));
}
