/** Where a key leads in a list of `count` rows, `page` of which are seen; undefined for keys that mean nothing here. */
export function rowAfterKey(key: string, row: number, count: number, page: number): number | undefined {
  const last = count - 1;
  const step = Math.max(1, page - 1);
  switch (key) {
    case 'ArrowDown':
      return Math.min(last, row + 1);
    case 'ArrowUp':
      return Math.max(0, row - 1);
    case 'PageDown':
      return Math.min(last, row + step);
    case 'PageUp':
      return Math.max(0, row - step);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
