import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelAnswer, ModelCall, ModelScript } from '../../../packages/claude/src/stage.test-support.js';

const USAGE = { input_tokens: 10, output_tokens: 5 };
const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

/** A model's API on this machine that answers by a script. What Claude Code asks for its own ends is not part of that. */
export async function fakeAnthropic(script: ModelScript): Promise<{ url: string; close(): Promise<void> }> {
  const attempts = new Map<string, number>();
  let id = 0;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (request.method !== 'POST' || !/^\/v1\/messages(\?|$)/.test(request.url ?? '')) return fail(response, 404);
    const call = JSON.parse(Buffer.concat(parts).toString()) as ModelCall & { stream?: boolean };
    const asked = JSON.stringify(call.messages);
    const key = `${call.model} ${asked}`;
    const attempt = attempts.get(key) ?? 0;
    attempts.set(key, attempt + 1);
    const answer = script(call, asked, attempt);
    if (answer.status !== undefined) return fail(response, answer.status);
    await send(response, call, answer, `msg_${++id}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function fail(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
  response.end(JSON.stringify({ type: 'error', error: { type: 'api_error', message: 'no' } }));
}

async function send(
  response: ServerResponse,
  call: ModelCall & { stream?: boolean },
  answer: ModelAnswer,
  id: string,
): Promise<void> {
  const blocks = answer.blocks ?? [];
  const stop_reason = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: call.model,
    content: blocks,
    stop_reason,
    stop_sequence: null,
    usage: USAGE,
  };
  if (call.stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const event = (type: string, data: object) =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  event('message_start', {
    message: { ...message, content: [], stop_reason: null, usage: { ...USAGE, output_tokens: 1 } },
  });
  for (const [index, block] of blocks.entries()) {
    const isText = block.type === 'text';
    event('content_block_start', {
      index,
      content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} },
    });
    if (isText) {
      const size = Math.ceil(block.text.length / (answer.parts ?? 1));
      for (let at = 0; at < block.text.length; at += size) {
        if (answer.pauseMillis !== undefined) await sleep(answer.pauseMillis);
        event('content_block_delta', { index, delta: { type: 'text_delta', text: block.text.slice(at, at + size) } });
        if (answer.breaks === true) {
          await sleep(20);
          event('error', { error: { type: 'api_error', message: 'the stream broke' } });
          response.end();
          return;
        }
      }
    } else {
      event('content_block_delta', {
        index,
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
      });
    }
    event('content_block_stop', { index });
  }
  event('message_delta', {
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: USAGE.output_tokens },
  });
  event('message_stop', {});
  response.end();
}
