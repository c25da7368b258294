/** Which page, as the address says. */
export type Route =
  | { readonly page: 'turns' }
  | { readonly page: 'turn'; readonly trace: string; readonly span?: string }
  | { readonly page: 'health' }
  | { readonly page: 'unknown' };

export function parseRoute(pathname: string): Route {
  const parts = pathname.split('/').filter((part) => part !== '');
  const [first, trace, span, more] = parts.map(decoded);
  if (first === undefined) return { page: 'turns' };
  if (first === 'health' && trace === undefined) return { page: 'health' };
  if (first === 'turn' && trace !== undefined && more === undefined) {
    return span === undefined ? { page: 'turn', trace } : { page: 'turn', trace, span };
  }
  return { page: 'unknown' };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function turnPath(trace: string, span?: string): string {
  const path = `/turn/${encodeURIComponent(trace)}`;
  return span === undefined ? path : `${path}/${encodeURIComponent(span)}`;
}
