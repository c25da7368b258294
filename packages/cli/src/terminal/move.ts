import type { Key } from './keys.js';

/** Where the selection is after a key, in a list of `count` with `page` rows on the screen; `undefined` for other keys. */
export function moved(key: Key, index: number, count: number, page: number): number | undefined {
  const to = target(key, index, count, Math.max(1, page - 1));
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}

function target(key: Key, index: number, count: number, page: number): number | undefined {
  switch (key.name === 'text' ? key.text : key.name) {
    case 'up':
    case 'k':
      return index - 1;
    case 'down':
    case 'j':
      return index + 1;
    case 'page-up':
      return index - page;
    case 'page-down':
    case ' ':
      return index + page;
    case 'home':
    case 'g':
      return 0;
    case 'end':
    case 'G':
      return count - 1;
    default:
      return undefined;
  }
}

/** First row on the screen, so that the selection is on it. */
export function scrolled(top: number, index: number, count: number, page: number): number {
  const shown = Math.max(1, page);
  const follows = index < top ? index : index >= top + shown ? index - shown + 1 : top;
  return Math.max(0, Math.min(follows, count - shown));
}
