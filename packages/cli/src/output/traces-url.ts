/** The full path of traces at `base`, which may have it already, as the OTLP variables have it. */
export function tracesUrl(base: string): string {
  const url = new URL(base);
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}

/** Whether a text is an http or https address. */
export const isHttpAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
