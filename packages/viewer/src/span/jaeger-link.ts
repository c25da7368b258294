/** Address of a span in Jaeger; undefined without a Jaeger, or where the setting is no web address. */
export function jaegerLink(base: string | undefined, trace: string, span: string): string | undefined {
  if (base === undefined || !/^[0-9a-f]{32}$/i.test(trace)) return undefined;
  let url: URL;
  try {
    url = new URL(`${base.replace(/\/+$/, '')}/trace/${trace}`);
  } catch {
    return undefined;
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  if (/^[0-9a-f]{16}$/i.test(span)) url.searchParams.set('uiFind', span);
  return url.href;
}
