/** The full path of a signal at `base`, which may have it already, as the OTLP variables have it. */
export function signalUrl(base: string, signal: 'traces' | 'metrics' | 'logs'): string {
  const url = new URL(base);
  const path = `/v1/${signal}`;
  if (!url.pathname.endsWith(path)) url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
  return url.href;
}

export const tracesUrl = (base: string): string => signalUrl(base, 'traces');

/** Whether a text is an http or https address. */
export const isHttpAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
