/** Letters, digits, and `+ - . / = _ ~`: what keys and their encodings consist of. */
const RUN_CHARS = new Uint8Array(128);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-./=_~')
  RUN_CHARS[char.charCodeAt(0)] = 1;

/** Characters before a run that a search needs to see: an escape such as `\u0022`. */
const CONTEXT = 6;

/**
 * Replaces within the runs of at least `shortest` such characters only. Prose has hardly any, and passing over a short
 * word costs one look at every `shortest`-th character, so an expensive search is spared for most texts.
 */
export function replaceInLongRuns(text: string, shortest: number, replace: (part: string) => string): string {
  let result = '';
  let done = 0;
  let at = shortest - 1;
  while (at < text.length) {
    if (!isRunChar(text.charCodeAt(at))) {
      at += shortest;
      continue;
    }
    let start = at;
    while (start > done && isRunChar(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (end < text.length && isRunChar(text.charCodeAt(end))) end++;
    if (end - start >= shortest) {
      const from = Math.max(done, start - CONTEXT);
      const part = text.slice(from, end);
      const replaced = replace(part);
      if (replaced !== part) {
        result += text.slice(done, from) + replaced;
        done = end;
      }
    }
    at = end + shortest;
  }
  return done === 0 ? text : result + text.slice(done);
}

function isRunChar(code: number): boolean {
  return code < 128 && RUN_CHARS[code] === 1;
}
