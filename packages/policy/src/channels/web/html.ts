import { createHash } from 'node:crypto';
import type { CallbackReply } from '../base-channel.js';

/** Text that is HTML already. All others are escaped where they are put in. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

/** A template whose values are text, and stay text. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((string, i) => string + (i < parts.length ? markup(parts[i] ?? '') : '')).join(''));
}

function markup(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return part.map(({ text }) => text).join('\n');
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{margin:0 auto;max-width:60rem;padding:1rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid;padding:.75rem;direction:ltr;unicode-bidi:isolate-override}
dt{font-weight:600}dd{margin:0 0 .5rem;overflow-wrap:anywhere;direction:ltr;unicode-bidi:isolate-override}
button,input{font:inherit;padding:.4rem .8rem;margin:.25rem .5rem .25rem 0}.said{border:2px solid;padding:.5rem}`;

/** No script at all, no frame, forms to this service alone. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': PAGE_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // With `no-referrer` browsers would send their own forms with `Origin: null`.
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

export function pageReply(status: number, title: string, main: Html): CallbackReply {
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><main><h1>${title}</h1>
${main}
</main></body>
</html>
`;
  return { status, headers: HEADERS, body: page.text };
}
