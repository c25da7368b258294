import type { ServerResponse } from 'node:http';

/** A small page of words alone. `text` is of this program, and markup in it is shown. */
export function respondPage(response: ServerResponse, status: number, title: string, lines: readonly string[]): void {
  const body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escaped(title)}</title></head>
<body><main><h1>${escaped(title)}</h1>
${lines.map((line) => `<p>${escaped(line).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>`).join('\n')}
</main></body>
</html>
`;
  response
    .writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'content-length': Buffer.byteLength(body) })
    .end(body);
}

export const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
