import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIPromise,
  AzureOpenAI,
  InternalServerError,
  type OpenAI,
} from 'openai';
import { describe, expect, it } from 'vitest';
import { chatAnswer, messageAnswer, responseAnswer } from './answers.test-support.js';
import { observeOpenAI } from './index.js';
import { json, unavailable } from './loopback-server.test-support.js';
import { chat, message, observed, only, openAI, server, weather } from './scene.test-support.js';

const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis));

describe('a request outside of any turn', () => {
  it('is a turn, with what was asked and answered', async () => {
    const scene = observed();
    server.answers(json(chatAnswer('m-2', 'Sunny.', [weather])));
    const messages = [{ role: 'system' as const, content: 'Be brief.' }, ...chat.messages];
    await scene.openai.chat.completions.create({ model: 'm', messages, max_completion_tokens: 7 });
    expect(only(scene.payloads('pre_llm_call'))).toMatchObject({ user_message: 'How is the weather?', model: 'm' });
    expect(only(scene.payloads('pre_api_request'))).toMatchObject({
      provider: 'openai',
      api_mode: 'chat_completions',
      base_url: server.url,
      max_tokens: 7,
      message_count: 2,
      request_messages: messages,
    });
    expect(only(scene.payloads('post_api_request'))).toMatchObject({
      response_model: 'm-2',
      usage: { prompt_tokens: 10, output_tokens: 5 },
      response: {
        assistant_message: {
          content: 'Sunny.',
          tool_calls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }],
        },
      },
    });
    expect(only(scene.payloads('post_llm_call'))).toMatchObject({ assistant_response: 'Sunny.' });
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: tool_calls 10>5']);
  });

  it('of Anthropic has its system prompt, cached tokens in its input, and its own words for reasons', async () => {
    const scene = observed();
    const usage = { input_tokens: 3, cache_read_input_tokens: 6, cache_creation_input_tokens: 1, output_tokens: 5 };
    server.answers(json({ ...messageAnswer('m', 'Sun', [weather]), usage, stop_reason: 'max_tokens' }));
    await scene.anthropic.messages.create({ ...message, system: 'Be brief.' });
    server.answers(json(messageAnswer('m', 'Sunny.')));
    await scene.anthropic.beta.messages.create(message);
    const [first] = scene.payloads('post_api_request');
    expect(scene.payloads('pre_api_request')[0]).toMatchObject({
      provider: 'anthropic',
      api_mode: 'anthropic_messages',
      system_prompt: 'Be brief.',
      max_tokens: 9,
    });
    expect(first).toMatchObject({
      finish_reason: 'length',
      usage: { prompt_tokens: 10, cache_read_tokens: 6, cache_write_tokens: 1, output_tokens: 5 },
      response: { assistant_message: { tool_calls: [{ id: 'call_1', arguments: '{"city":"Oslo"}' }] } },
    });
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat m: length 10>5',
      'invoke_agent hermes: completed',
      '  chat m: stop 10>5',
    ]);
  });

  it('of Responses has its instructions, reasoning, and what it was cut by', async () => {
    const scene = observed();
    server.answers(
      json(responseAnswer('m', null, [weather])),
      json({
        ...responseAnswer('m', 'Sun'),
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      }),
    );
    const { output_text } = await scene.openai.responses.create({ model: 'm', input: 'Hi', instructions: 'Be brief.' });
    await scene.openai.responses.create({ model: 'm', input: [{ role: 'user', content: 'Hi' }] });
    expect(output_text).toBe('');
    expect(scene.payloads('pre_api_request')[0]).toMatchObject({
      system_prompt: 'Be brief.',
      request_messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(scene.payloads('post_api_request')).toMatchObject([
      {
        finish_reason: 'tool_calls',
        usage: { prompt_tokens: 10, cache_read_tokens: 4, reasoning_tokens: 2 },
        response: { assistant_message: { tool_calls: [{ id: 'call_1', name: 'weather' }] } },
      },
      { finish_reason: 'length', response: { assistant_message: { content: 'Sun' } } },
    ]);
  });

  it.each([
    ['embeddings', (client: OpenAI) => client.embeddings.create({ model: 'm', input: 'x' })],
    ['models', (client: OpenAI) => client.models.list()],
    ['a stored answer', (client: OpenAI) => client.responses.retrieve('resp_1')],
  ])('is none for %s', async (_, ask) => {
    const scene = observed();
    server.answers(json({ object: 'list', data: [] }));
    await ask(scene.openai);
    expect(server.requests).toHaveLength(1);
    expect(await scene.tree()).toEqual([]);
  });
});

describe('a session', () => {
  it('is the conversation of Responses, or that of the answer that is gone on from', async () => {
    const scene = observed();
    const ask = async (id: string, more: object) => {
      server.answers(json(responseAnswer('m', 'Hi', [], id)));
      await scene.openai.responses.create({ model: 'm', input: 'Hi', ...more });
    };
    await ask('resp_1', {});
    await ask('resp_2', { previous_response_id: 'resp_1' });
    await ask('resp_3', { previous_response_id: 'resp_2' });
    await ask('resp_4', { conversation: { id: 'conv_1' } });
    await ask('resp_5', { conversation: 'conv_1' });
    await ask('resp_6', { previous_response_id: 'resp_of_another_process' });
    const ids = scene.payloads('pre_llm_call').map(({ session_id }) => session_id);
    expect(ids.slice(0, 3)).toEqual([ids[0], ids[0], ids[0]]);
    expect(ids.slice(3, 5)).toEqual(['conv_1', 'conv_1']);
    expect(new Set(ids).size).toBe(3);
  });
});

describe('attempts', () => {
  it('are those of the client, with the error of the last as the request', async () => {
    const scene = observed();
    server.answers(unavailable(503), unavailable(429, { 'retry-after': '0.001' }), unavailable(500));
    const thrown = await scene.openai.chat.completions.create(chat).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(InternalServerError);
    const errors = scene.payloads('api_request_error');
    expect(errors.map(({ status_code }) => status_code)).toEqual([503, 429, 500]);
    expect(errors[2]).toMatchObject({
      error: { type: '500', message: expect.stringContaining('500') },
    });
    expect(server.requests.map(({ headers }) => headers['x-stainless-retry-count'])).toEqual(['0', '1', '2']);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: failed ERROR', '  chat m: x503 x429 x500 ERROR']);
  });

  it('that time out are no aborts', async () => {
    const scene = observed();
    server.answers((_, response) => void response.flushHeaders, json(chatAnswer('m', 'Sunny.')));
    await scene.openai.chat.completions.create(chat, { timeout: 300, maxRetries: 1 });
    expect(only(scene.payloads('api_request_error'))).toMatchObject({ error: { type: 'TimeoutError' } });
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: stop 10>5 x']);
  });

  it('whose body takes too long are retried by the client, and seen', async () => {
    const scene = observed();
    const stuck = (_: unknown, response: import('node:http').ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    };
    server.answers(stuck, json(chatAnswer('m', 'Sunny.')));
    await scene.openai.chat.completions.create(chat, { timeout: 400, maxRetries: 1 });
    expect(only(scene.payloads('api_request_error'))).toMatchObject({ error: { type: 'TimeoutError' } });
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: stop 10>5 x']);
  });

  it('that have neither a status nor a code fail as the first of them, with the request and the turn', async () => {
    const scene = observed();
    // A port that `fetch` refuses by itself.
    const client = observeOpenAI(openAI({ baseURL: 'http://127.0.0.1:1/v1', maxRetries: 1 }), scene.options);
    await expect(client.chat.completions.create(chat)).rejects.toBeInstanceOf(APIConnectionError);
    const types = scene.payloads('api_request_error').map(({ error }) => (error as { type: string }).type);
    const [{ turn_exit_reason }] = scene.payloads('on_session_end') as [{ turn_exit_reason: string }];
    expect([...types, turn_exit_reason]).toEqual(['TypeError', 'TypeError', 'TypeError']);
  });

  it('that find nobody fail with the code of the system', async () => {
    const scene = observed();
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const client = observeOpenAI(openAI({ baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 1 }), scene.options);
    await expect(client.chat.completions.create(chat)).rejects.toBeInstanceOf(APIConnectionError);
    const gone = observeOpenAI(openAI({ maxRetries: 0, timeout: 20 }), scene.options);
    server.answers(() => {});
    await expect(gone.chat.completions.create(chat)).rejects.toBeInstanceOf(APIConnectionTimeoutError);
    expect(scene.payloads('api_request_error').map(({ error }) => (error as { type: string }).type)).toEqual([
      'ECONNREFUSED',
      'ECONNREFUSED',
      'TimeoutError',
    ]);
    expect(scene.payloads('on_session_end').map(({ turn_exit_reason }) => turn_exit_reason)).toEqual([
      'ECONNREFUSED',
      'TimeoutError',
    ]);
  });

  it.each([
    ['nothing', undefined],
    [
      'what cannot be looked at',
      {
        get ok() {
          throw new RangeError('trap');
        },
        headers: new Headers(),
      },
    ],
  ])('that `fetch` answers with %s are as few as without us, and fail the same', async (_, answer) => {
    const scene = observed();
    let asked = 0;
    const fetch = async () => {
      asked++;
      return answer as never;
    };
    const outcome = async (client: OpenAI) => {
      asked = 0;
      const error: unknown = await client.chat.completions.create(chat).catch((thrown: unknown) => thrown);
      return [asked, String(error)];
    };
    const plain = await outcome(openAI({ fetch }));
    expect(await outcome(observeOpenAI(openAI({ fetch }), scene.options))).toEqual(plain);
    expect(plain[0]).toBe(1);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: failed ERROR', '  chat m: x ERROR']);
  });

  it('end when the program aborts, in the wait between them too', async () => {
    const scene = observed();
    for (const reply of [() => {}, unavailable(503, { 'retry-after-ms': '5000' })]) {
      server.answers(reply);
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 250);
      const asked = scene.anthropic.messages.create(message, { signal: controller.signal });
      await expect(asked).rejects.toThrow(/abort/i);
    }
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: interrupted',
      '  chat m: cancelled',
      'invoke_agent hermes: interrupted',
      '  chat m: x503 ERROR',
    ]);
  });
});

describe('what a client gives', () => {
  it('is what it gave before: promises, ids, responses', async () => {
    const { openai, anthropic } = observed();
    server.answers(json(chatAnswer('m', 'Sunny.')));
    const promise = openai.chat.completions.create(chat);
    expect(promise).toBeInstanceOf(APIPromise);
    const { data, response, request_id } = await promise.withResponse();
    expect([(data as { _request_id?: string })._request_id, request_id, response.status, response.bodyUsed]).toEqual([
      'req_1',
      'req_1',
      200,
      true,
    ]);
    expect(await promise).toBe(data);
    server.answers(json(messageAnswer('m', 'Sunny.')));
    expect((await anthropic.messages.create(message))._request_id).toBe('req_1');
    expect(openai.chat.completions.create.name).toBe('create');
    expect(Object.keys(openai)).toEqual(Object.keys(openAI()));
  });

  it('and nobody awaits is read by nobody, and its failure is still unhandled', async () => {
    const scene = observed();
    const unhandled: unknown[] = [];
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', (error) => unhandled.push(error));
    try {
      server.answers(unavailable(400));
      void scene.openai.chat.completions.create(chat);
      void scene.openai.responses.create({ model: 'm', input: 'x' });
      await sleep(100);
      const caught = scene.openai.chat.completions.create(chat);
      await caught.catch(() => {});
      await sleep(50);
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const listener of listeners) process.on('unhandledRejection', listener);
    }
    expect(unhandled).toHaveLength(2);
  });

  it('as a response is told of as the program reads it', async () => {
    const scene = observed();
    server.answers(json(chatAnswer('m', 'Sunny.')));
    const ask = () => scene.openai.chat.completions.create(chat).asResponse();
    expect(await (await ask()).json()).toMatchObject({ choices: [{ message: { content: 'Sunny.' } }] });
    expect(await (await ask()).text()).toContain('Sunny.');
    expect((await (await ask()).arrayBuffer()).byteLength).toBeGreaterThan(100);
    const [first, second] = scene.payloads('post_api_request');
    expect([first, second]).toMatchObject([{ finish_reason: 'stop' }, { finish_reason: 'stop' }]);
  });

  it('from a client for Azure is of Azure', async () => {
    const scene = observed();
    const options = { apiKey: 'k', apiVersion: '2026-01-01', endpoint: server.url, deployment: 'd' };
    const client = observeOpenAI(new AzureOpenAI(options), scene.options);
    server.answers(json(chatAnswer('m', 'Sunny.')));
    await client.chat.completions.create(chat);
    expect(only(server.requests).path).toContain('/deployments/d/chat/completions');
    expect(only(scene.payloads('pre_api_request'))).toMatchObject({ provider: 'azure.ai.openai', model: 'm' });
  });

  it('with `parse` fails for the program alone where its answer is none that was asked for', async () => {
    const scene = observed();
    server.answers(
      json({ ...chatAnswer('m', 'Sun'), choices: [{ ...chatAnswer('m', 'Sun').choices[0], finish_reason: 'length' }] }),
    );
    await expect(
      scene.openai.chat.completions.parse({ ...chat, response_format: { type: 'json_object' } }),
    ).rejects.toThrow();
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: length 10>5']);
  });
});
