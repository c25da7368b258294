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

/** As the viewer looks. */
const STYLE = `:root{color-scheme:light dark;--ground:#f7f7f5;--surface:#fff;--line:#dfdfda;--text:#1b1d21;--soft:#595e66;--accent:#2f4ec4;--good:#1f6b3a;--bad:#b3261e;--human:#b02a74;--on:#fff}
@media (prefers-color-scheme:dark){:root{--ground:#131518;--surface:#191c20;--line:#30353b;--text:#e6e8eb;--soft:#a3aab3;--accent:#9db2ff;--good:#84d49d;--bad:#ff9f96;--human:#f08bbd;--on:#10131a}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--text);font:14px/20px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
a{color:var(--accent)}header{display:flex;align-items:center;gap:20px;min-height:44px;padding:0 16px;border-bottom:1px solid var(--line);background:var(--surface)}
header a{color:var(--soft);text-decoration:none;padding:4px 0}header a:first-child{color:var(--text);font-weight:600}header a:hover{text-decoration:underline}
main{max-width:960px;margin:0 auto;padding:16px}h1{font-size:18px;line-height:26px;margin:0 0 4px;overflow-wrap:anywhere}h2{font-size:14px;margin:16px 0 6px}p{margin:0 0 8px;overflow-wrap:anywhere}
.soft{color:var(--soft)}.left{color:var(--human);font-weight:600}.said{border:1px solid var(--bad);border-radius:6px;color:var(--bad);padding:8px 12px}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);border-radius:8px;background:var(--surface);padding:10px 12px;font:12.5px/19px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;direction:ltr;unicode-bidi:isolate-override}
form{position:sticky;bottom:0;margin:0 -16px;padding:12px 16px;background:var(--ground);border-top:1px solid var(--line)}form p{margin:0;display:flex;flex-wrap:wrap;gap:8px}form label{display:block;margin-bottom:8px}
button,input{font:inherit;min-height:36px;padding:4px 14px;border:1px solid var(--line);border-radius:6px;background:var(--surface);color:var(--text)}input{display:block;width:100%;max-width:420px;margin-top:4px}button{font-weight:600;cursor:pointer}
.yes{background:var(--good);border-color:var(--good);color:var(--on)}.no{border-color:var(--bad);color:var(--bad)}
details{margin:16px 0}summary{cursor:pointer;color:var(--soft);padding:4px 0}dl{margin:8px 0}dt{color:var(--soft);font-size:12px}dd{margin:0 0 8px;overflow-wrap:anywhere;direction:ltr;unicode-bidi:isolate-override}
ul{list-style:none;margin:12px 0;padding:0;border:1px solid var(--line);border-radius:8px;background:var(--surface)}li{padding:10px 14px;overflow-wrap:anywhere}li+li{border-top:1px solid var(--line)}li a{font-weight:600}li p{margin:2px 0 0}`;

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

/** `base`: path of the list, for the way back. The host's own page is at `/`. */
export function pageReply(status: number, title: string, main: Html, base: string): CallbackReply {
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><header><a href="/">Hermes Observer</a><a href="${base}">Approvals</a></header>
<main><h1>${title}</h1>
${main}
</main></body>
</html>
`;
  return { status, headers: HEADERS, body: page.text };
}
