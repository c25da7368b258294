import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

import type { ServiceFacts } from '../wire.js';
import { escaped } from './plain-page.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
/** `main-3fA9_x2b.js`: another content has another name. */
const HASHED = /[-.][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;
const FOREVER = 'public, max-age=31536000, immutable';
const COMPRESSIBLE = /^text\/|json|svg/;

interface StaticFile {
  readonly type: string;
  readonly isHashed: boolean;
  readonly bytes: Buffer;
  readonly packed: Buffer | undefined;
}

/**
 * The files of the page. Only those that were found in the folder when it was first asked for are given out, each by its
 * name: no path of a request ever reaches the file system.
 */
export class StaticFiles {
  readonly #folder: string;
  readonly #facts: ServiceFacts;
  #files: ReadonlyMap<string, StaticFile> | undefined;

  /** @param facts what the page is told in itself */
  constructor(folder: string, facts: ServiceFacts = { jaegerUrl: null, files: false }) {
    this.#folder = folder;
    this.#facts = facts;
  }

  has(path: string): boolean {
    return this.#all().has(path);
  }

  /** Answers with the file, which has to be there. */
  respond(request: IncomingMessage, response: ServerResponse, path: string): void {
    const file = this.#all().get(path) as StaticFile;
    const isPacked = file.packed !== undefined && takesGzip(request);
    const body = isPacked ? (file.packed as Buffer) : file.bytes;
    response.writeHead(200, {
      'content-type': file.type,
      'content-length': body.length,
      'cache-control': file.isHashed ? FOREVER : 'no-store',
      vary: 'accept-encoding',
      ...(isPacked && { 'content-encoding': 'gzip' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  #all(): ReadonlyMap<string, StaticFile> {
    this.#files ??= new Map(filesIn(this.#folder, '/', this.#facts));
    return this.#files;
  }
}

export const takesGzip = ({ headers }: IncomingMessage) =>
  /(^|,)\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[^,]*)?(,|$)/i.test(headers['accept-encoding'] ?? '');

function* filesIn(folder: string, path: string, facts: ServiceFacts): Generator<[string, StaticFile]> {
  for (const entry of entriesOf(folder)) {
    const place = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(place, `${path}${entry.name}/`, facts);
    else if (entry.isFile()) {
      const type = TYPES[extname(entry.name)] ?? 'application/octet-stream';
      const content = readFileSync(place);
      const bytes = `${path}${entry.name}` === '/index.html' ? withFacts(content, facts) : content;
      const packed = COMPRESSIBLE.test(type) ? gzipSync(bytes, { level: 9 }) : undefined;
      yield [`${path}${entry.name}`, { type, bytes, packed, isHashed: HASHED.test(entry.name) }];
    }
  }
}

function withFacts(page: Buffer, facts: ServiceFacts): Buffer {
  const content = escaped(JSON.stringify(facts));
  return Buffer.from(
    page.toString().replace('</head>', () => `<meta name="service-facts" content="${content}"></head>`),
  );
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
