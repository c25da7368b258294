import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

const PATIENCE_MILLIS = 5_000;
/** More of an answer is not looked at. */
const MOST_ANSWER_BYTES = 64 * 1024;

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Certificates that are trusted instead of those that Node.js knows, PEM. */
  readonly ca?: string | undefined;
}

export interface PostAnswer {
  readonly status: number;
  /** Its start. */
  readonly text: string;
}

/** Sends one request as the service would, with its certificates, which `fetch` cannot be given. Follows no redirect. */
export function post(url: string, { headers, body, ca }: PostOptions): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, agent: false, ...(ca !== undefined && { ca }) };
    const request = url.startsWith('https:') ? httpsRequest(url, options) : httpRequest(url, options);
    const timer = setTimeout(() => {
      request.destroy(Object.assign(new Error('no answer in time'), { name: 'TimeoutError' }));
    }, PATIENCE_MILLIS);
    request.once('close', () => clearTimeout(timer));
    request.on('error', reject);
    request.once('response', (response) => {
      startOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
    });
    request.end(body);
  });
}

async function startOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MOST_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
