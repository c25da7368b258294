import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runNode } from './run-command.js';

/** One request of a model that wrote to its cache, in a program that says nothing of names. */
const PROGRAM = `
  import { createObserver } from '@hermes-observer/otel';
  const observer = createObserver();
  const ids = { session_id: 's1', turn_id: 't1', api_request_id: 'r1' };
  observer.hub.emit('pre_llm_call', { ...ids, model: 'm' });
  observer.hub.emit('pre_api_request', { ...ids, model: 'm', provider: 'anthropic' });
  observer.hub.emit('post_api_request', { ...ids, usage: { prompt_tokens: 9, output_tokens: 1, cache_write_tokens: 4 } });
  observer.hub.emit('on_session_end', { ...ids, completed: true });
  await observer.shutdown();
`;

let server: Server;
let got = '';
beforeAll(async () => {
  server = createServer(async (request, response) => {
    got += await text(request);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void server.close());
beforeEach(() => {
  got = '';
});

const OLD = 'gen_ai.usage.cache_creation.input_tokens';
const NEW = 'gen_ai.usage.cache_write.input_tokens';
const SCHEMAS = { old: 'schemas/1.41.1', new: 'schemas/gen-ai/0.1.0' };

describe.each([
  ['', [OLD], SCHEMAS.old],
  ['http/dup', [OLD], SCHEMAS.old],
  ['gen_ai_latest_experimental', [NEW], SCHEMAS.new],
  ['http,gen_ai_latest_experimental/dup', [OLD, NEW], SCHEMAS.old],
] as const)('OTEL_SEMCONV_STABILITY_OPT_IN=%s', (optIn, names, schema) => {
  const check = () => {
    expect([OLD, NEW].filter((name) => got.includes(`"${name}"`))).toEqual(names);
    expect(Object.values(SCHEMAS).filter((each) => got.includes(each))).toEqual([schema]);
  };

  it('is followed by a program', async () => {
    const env = {
      OTEL_SEMCONV_STABILITY_OPT_IN: optIn,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    };
    expect(await runNode(['--input-type=module', '-e', PROGRAM], { env })).toEqual({ code: 0, stdout: '', stderr: '' });
    check();
  });

  it('is followed by replay', async () => {
    const args = [
      'packages/cli/bin/hermes-observer.js',
      'replay',
      'conformance/recordings/0.22.2/z5-anthropic-messages.ndjson',
    ];
    const { code, stdout } = await runNode([...args, '--otlp-file', '-'], {
      env: { OTEL_SEMCONV_STABILITY_OPT_IN: optIn },
    });
    expect(code).toBe(0);
    got = stdout;
    check();
  });
});
