/** Whether `text`, four numbers with points, is an address of a host in the net: none of the own machine, no mask. */
export function isAddress4(text: string): boolean {
  const parts = text.split('.').map(Number);
  if (parts.some((part) => part > 255)) return false;
  return parts[0] !== 0 && parts[0] !== 127 && parts[0] !== 255;
}

/** Whether `text` is an IPv6 address as RFC 4291 writes it, other than `::` and `::1`. A time (`12:30:05`) is none. */
export function isAddress6(text: string): boolean {
  if (text === '::' || text === '::1') return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const embedded = groups.at(-1)?.includes('.') === true ? groups.pop() : undefined;
  if (embedded !== undefined && !/^\d{1,3}(?:\.\d{1,3}){3}$/.test(embedded)) return false;
  if (groups.some((group) => !/^[0-9A-Fa-f]{1,4}$/.test(group))) return false;
  const count = groups.length + (embedded === undefined ? 0 : 2);
  return halves.length === 2 ? count > 0 && count < 8 : count === 8;
}
