import { describe, expect, it } from 'vitest';
import {
  chatCallChunks,
  chatDeltas,
  chatEnd,
  messageCallEvents,
  messageDeltas,
  messageEnd,
  messageStart,
  responseEnd,
  responseEvents,
} from './answers.test-support.js';
import { json, sse } from './loopback-server.test-support.js';
import { chat, message, observed, only, type Scene, server, weather } from './scene.test-support.js';

const streamedChat = { ...chat, stream: true as const, stream_options: { include_usage: true } };
const streamedMessage = { ...message, stream: true as const };
const chatStream = (scene: Scene) => scene.openai.chat.completions.create(streamedChat);

async function read(stream: AsyncIterable<unknown>, most = Number.POSITIVE_INFINITY): Promise<number> {
  let parts = 0;
  for await (const _ of stream) if (++parts >= most) break;
  return parts;
}

const FAILED = ['invoke_agent hermes: failed ERROR', '  chat m: x ERROR'];
const WHOLE = ['invoke_agent hermes: completed', '  chat m: stop 10>5 streamed'];
const ABORTED = ['invoke_agent hermes: interrupted', '  chat m: cancelled streamed'];

describe('a streamed answer of chat completions', () => {
  it('has its text, calls and usage', async () => {
    const scene = observed();
    server.answers(sse([...chatDeltas('m', 3), ...chatCallChunks('m', weather)]));
    await read(await chatStream(scene));
    expect(only(scene.payloads('post_api_request'))).toMatchObject({
      usage: { prompt_tokens: 10, output_tokens: 5 },
      response: {
        assistant_message: {
          content: 'www',
          tool_calls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }],
        },
      },
    });
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: tool_calls 10>5 streamed']);
  });

  it('has no usage where nobody asked for it, and the request stays as it was', async () => {
    const scene = observed();
    server.answers(sse([...chatDeltas('m', 3), ...chatEnd('m', false)]));
    await read(await scene.openai.chat.completions.create({ ...chat, stream: true }));
    expect(only(server.requests).body).toEqual({ ...chat, stream: true });
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: stop streamed']);
  });

  it('is given on as it comes', async () => {
    const scene = observed();
    server.answers(sse([...chatDeltas('m', 3), ...chatEnd('m')], { delay: 120 }));
    const stream = await chatStream(scene);
    const times: number[] = [];
    for await (const _ of stream) times.push(performance.now());
    expect((times[2] as number) - (times[0] as number)).toBeGreaterThan(50);
  });

  it('that is left half way is interrupted, and the connection closed', async () => {
    const scene = observed();
    server.answers(sse(chatDeltas('m', 50), { delay: 2 }));
    const stream = await chatStream(scene);
    expect(await read(stream, 3)).toBe(3);
    expect(stream.controller.signal.aborted).toBe(true);
    expect(only(scene.payloads('post_api_request'))).toMatchObject({
      response: { assistant_message: { content: 'www' } },
    });
    expect(await scene.tree()).toEqual(ABORTED);
  });

  it('that is left once it said why it ends is whole', async () => {
    const scene = observed();
    server.answers(sse([...chatDeltas('m', 3), ...chatEnd('m')]));
    expect(await read(await chatStream(scene), 4)).toBe(4);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: stop streamed']);
  });

  it('that is aborted by its controller is interrupted, and ends for the program without an error', async () => {
    const scene = observed();
    server.answers(sse(chatDeltas('m', 50), { delay: 2 }));
    const stream = await chatStream(scene);
    let parts = 0;
    for await (const _ of stream) if (++parts === 3) stream.controller.abort();
    expect(await scene.tree()).toEqual(ABORTED);
  });

  it('that breaks fails with the error that the program gets', async () => {
    const scene = observed();
    server.answers(sse(chatDeltas('m', 2), { breaks: true }));
    await expect(read(await chatStream(scene))).rejects.toThrow('terminated');
    expect(only(scene.payloads('api_request_error'))).toMatchObject({ error: { message: 'terminated' } });
    expect(await scene.tree()).toEqual(FAILED);
  });

  it('with an error among its parts fails with it', async () => {
    const scene = observed();
    server.answers(sse([...chatDeltas('m', 2), { error: { message: 'overloaded', code: 'x' } }]));
    await expect(read(await chatStream(scene))).rejects.toThrow('overloaded');
    expect(await scene.tree()).toEqual(FAILED);
  });

  it('is read by `tee` and `toReadableStream` as before', async () => {
    const scene = observed();
    server.answers(sse([...chatDeltas('m', 3), ...chatEnd('m')]));
    const [left, right] = (await chatStream(scene)).tee();
    expect(await Promise.all([read(left), read(right)])).toEqual([5, 5]);
    const text = await new Response((await chatStream(scene)).toReadableStream()).text();
    expect(text.trim().split('\n')).toHaveLength(5);
    expect(await scene.tree()).toEqual([...WHOLE, ...WHOLE]);
  });

  it('is one request, whoever tries to read it a second time', async () => {
    const scene = observed();
    server.answers(sse([...chatDeltas('m', 3), ...chatEnd('m')]));
    const stream = await chatStream(scene);
    let parts = 0;
    for await (const _ of stream) if (++parts === 2) await expect(read(stream)).rejects.toThrow('consumed');
    await expect(read(stream)).rejects.toThrow('consumed');
    expect(parts).toBe(5);
    expect(await scene.tree()).toEqual(WHOLE);
  });

  it('by the helper of the client is seen, with its events', async () => {
    const scene = observed();
    server.answers(sse([...chatDeltas('m', 3), ...chatEnd('m')]));
    const texts: string[] = [];
    const stream = scene.openai.chat.completions.stream({ ...chat, stream_options: { include_usage: true } });
    stream.on('content', (delta) => texts.push(delta));
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe('www');
    expect(texts).toEqual(['w', 'w', 'w']);
    expect(await scene.tree()).toEqual(WHOLE);
  });

  it('as a response is followed as the program reads it', async () => {
    const scene = observed();
    server.answers(sse([...chatDeltas('m', 3), ...chatEnd('m')], { delay: 2 }));
    const response = await chatStream(scene).asResponse();
    expect((await response.text()).match(/data:/g)).toHaveLength(6);
    const other = await chatStream(scene).asResponse();
    await other.body?.cancel();
    expect((await scene.tree()).sort()).toEqual(
      [...WHOLE, 'invoke_agent hermes: interrupted', '  chat m: cancelled'].sort(),
    );
  });

  it('that nobody reads ends with nothing', async () => {
    const scene = observed();
    server.answers(sse(chatDeltas('m', 3)));
    await chatStream(scene);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: incomplete', '  chat m: incomplete']);
  });

  it('keeps no more than a million characters of text', async () => {
    const scene = observed();
    const [delta] = chatDeltas('m', 1) as unknown as [{ choices: object[] }];
    const choice = delta.choices[0];
    const long = { ...delta, choices: [{ ...choice, delta: { content: 'x'.repeat(300_000) } }] };
    server.answers(sse([long, long, long, long, long, ...chatEnd('m')]));
    await read(await chatStream(scene));
    const { response } = only(scene.payloads('post_api_request')) as {
      response: { assistant_message: { content: string } };
    };
    expect(response.assistant_message.content.length).toBeLessThan(1_300_001);
  });
});

describe('a streamed answer of Responses', () => {
  it('has all that its last event has', async () => {
    const scene = observed();
    server.answers(sse([...responseEvents('m', 3), ...responseEnd('m', 'www')]));
    await read(await scene.openai.responses.create({ model: 'm', input: 'x', stream: true }));
    const helper = scene.openai.responses.stream({ model: 'm', input: 'x' });
    expect((await helper.finalResponse()).output_text).toBe('www');
    expect(scene.payloads('post_api_request')[0]).toMatchObject({
      usage: { reasoning_tokens: 2, cache_read_tokens: 4 },
      response: { assistant_message: { content: 'www' } },
    });
    expect(await scene.tree()).toEqual([...WHOLE, ...WHOLE]);
  });

  it('that is left half way has the text so far', async () => {
    const scene = observed();
    server.answers(sse(responseEvents('m', 50), { delay: 2 }));
    await read(await scene.openai.responses.create({ model: 'm', input: 'x', stream: true }), 6);
    expect(only(scene.payloads('post_api_request'))).toMatchObject({
      response: { assistant_message: { content: 'www' } },
    });
    expect(await scene.tree()).toEqual(ABORTED);
  });
});

describe('a streamed answer of Anthropic', () => {
  const usage = { input_tokens: 3, cache_read_input_tokens: 7, cache_creation_input_tokens: 0, output_tokens: 1 };

  it('has its text, calls, and the usage of its start and end', async () => {
    const scene = observed();
    server.answers(sse([...messageStart('m', usage), ...messageDeltas(3), ...messageCallEvents(weather)]));
    await read(await scene.anthropic.messages.create(streamedMessage));
    expect(only(scene.payloads('post_api_request'))).toMatchObject({
      usage: { prompt_tokens: 10, cache_read_tokens: 7, output_tokens: 5 },
      response: {
        assistant_message: {
          content: 'www',
          tool_calls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }],
        },
      },
    });
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: tool_calls 10>5 streamed']);
  });

  it('that is left half way has the tokens that were read, and none that were written', async () => {
    const scene = observed();
    server.answers(sse([...messageStart('m', usage), ...messageDeltas(50)], { delay: 2 }));
    await read(await scene.anthropic.messages.create(streamedMessage), 5);
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: interrupted',
      '  chat m: cancelled 10>undefined streamed',
    ]);
  });

  it('by the helpers of the client is seen, and aborted by them', async () => {
    const scene = observed();
    server.answers(sse([...messageStart('m'), ...messageDeltas(3), ...messageEnd()]));
    expect(await scene.anthropic.messages.stream(message).finalText()).toBe('www');
    expect(await scene.anthropic.beta.messages.stream(message).finalText()).toBe('www');
    server.answers(sse([...messageStart('m', {}), ...messageDeltas(50)], { delay: 2 }));
    const stream = scene.anthropic.messages.stream(message);
    let texts = 0;
    stream.on('text', () => {
      if (++texts === 3) stream.abort();
    });
    await expect(stream.done()).rejects.toThrow(/abort/i);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await scene.tree()).toEqual([...WHOLE, ...WHOLE, ...ABORTED]);
  });

  it('that says that it failed, fails', async () => {
    const scene = observed();
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } };
    server.answers(sse([...messageStart('m'), error]));
    await expect(read(await scene.anthropic.messages.create(streamedMessage))).rejects.toThrow('busy');
    expect(await scene.tree()).toEqual(FAILED);
  });
});

it('an answer that is none of a stream leaves the stream empty', async () => {
  const scene = observed();
  server.answers(json({}));
  expect(await read(await chatStream(scene))).toBe(0);
  expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m']);
});
