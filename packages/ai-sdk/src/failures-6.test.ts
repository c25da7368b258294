import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { APICallError, generateText, streamText } from 'ai-v6';
import { describe, expect, it } from 'vitest';
import { instrumentAiSdk } from './instrument.js';
import { Handlers6 } from './tracing/handlers-6.js';

import {
  agent,
  answers,
  deltas,
  ends,
  model,
  observed,
  scripted,
  sleep,
  streaming,
  TREE,
  wrapped,
} from './version-6.test-support.js';

describe('a run of AI SDK 6 that throws', () => {
  const refused = () => new APICallError({ message: 'no', url: 'x', requestBodyValues: {}, statusCode: 400 });
  const overloaded = () =>
    new APICallError({
      message: 'overloaded',
      url: 'x',
      requestBodyValues: {},
      statusCode: 503,
      responseHeaders: { 'retry-after-ms': '1' },
    });

  it.each<[string, () => unknown, number, number]>([
    ['is refused', refused, 400, 1],
    ['is tried again in vain', overloaded, 503, 2],
  ])('fails where its wrapped model %s', async (_, error, status, attempts) => {
    const scene = observed();
    const thrown = error();
    await expect(
      generateText({ model: wrapped(scripted([thrown])), prompt: 'x', maxRetries: 1 }),
    ).rejects.toBeInstanceOf(Error);
    await sleep(5);
    expect(scene.payloads('on_session_end')).toHaveLength(1);
    const failed = `x${status} `.repeat(attempts);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: failed ERROR', `  chat m: ${failed}ERROR`]);
    expect(scene.payloads('api_request_error')).toHaveLength(attempts);
  });

  it('goes on where another model answers in place of the wrapped one', async () => {
    const scene = observed();
    const [first, second] = [wrapped(scripted([refused()])), wrapped(scripted([answers[1]]))];
    const falls = model({
      doGenerate: async (options) => {
        try {
          return await first.doGenerate(options);
        } catch {
          return second.doGenerate(options);
        }
      },
    });
    await generateText({ model: falls, prompt: 'x' });
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: stop 10>5 x400']);
  });

  it.each([503, 400])('fails where the provider answers %i over HTTP, without a middleware', async (status) => {
    const scene = observed();
    const server = createServer((_, response) => void response.writeHead(status).end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const doGenerate = async () => {
      const response = await fetch(url, { method: 'POST', body: '{}' });
      await response.text();
      throw new APICallError({
        message: 'no',
        url,
        requestBodyValues: {},
        statusCode: response.status,
        responseHeaders: { 'retry-after-ms': '1' },
      });
    };
    await expect(generateText({ model: model({ doGenerate }), prompt: 'x', maxRetries: 1 })).rejects.toThrow();
    await sleep(300);
    expect(scene.payloads('on_session_end')).toHaveLength(1);
    const attempts = status === 503 ? 2 : 1;
    expect(scene.payloads('on_session_end')[0]).toMatchObject({ turn_exit_reason: String(status) });
    const failed = `x${status} `.repeat(attempts);
    expect(scene.payloads('api_request_error')).toHaveLength(attempts);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: failed ERROR', `  chat m: ${failed}ERROR`]);
  });

  it('is interrupted by its signal, also in a tool; many runs with one signal add one listener', async () => {
    const scene = observed();
    const controller = new AbortController();
    const { signal } = controller;
    const warned: string[] = [];
    const warn = ({ name }: Error) => void warned.push(name);
    process.on('warning', warn);
    ends.push(() => void process.off('warning', warn));
    await Promise.all(Array.from({ length: 12 }, () => generateText({ ...agent(), abortSignal: signal })));
    const aborts = () => {
      controller.abort();
      return {};
    };
    await expect(generateText({ ...agent(aborts), abortSignal: signal })).rejects.toThrow();
    await sleep(5);
    expect(warned).toEqual([]);
    const told = scene.payloads('on_session_end').map(({ interrupted }) => interrupted);
    expect(told).toEqual([...Array.from({ length: 12 }, () => false), true]);
  });

  it('is interrupted where the program leaves its stream', async () => {
    const scene = observed();
    const result = streamText({ model: streaming(deltas(50), true), prompt: 'x' });
    const reader = result.textStream.getReader();
    await reader.read();
    await reader.cancel();
    await result.consumeStream();
    await sleep(20);
    expect(scene.payloads('on_session_end')).toHaveLength(1);
  });
});

describe('a fault of the adapter', () => {
  const names = ['start', 'stepStart', 'toolStart', 'toolEnd', 'stepEnd', 'end', 'attempt', 'answered'] as const;
  it.each(names)('stays inside: %s', async (name) => {
    const original = Handlers6.prototype[name];
    let thrown = 0;
    ends.push(() => Object.assign(Handlers6.prototype, { [name]: original }));
    Object.assign(Handlers6.prototype, {
      [name]: () => {
        thrown++;
        throw new Error('adapter');
      },
    });
    observed();
    const { text, steps } = await generateText(agent(undefined, wrapped(scripted(answers)) as never));
    expect([text, steps.length]).toEqual(['Sunny.', 2]);
    expect(thrown).toBeGreaterThan(0);
  });
});

describe('instrumenting', () => {
  it('twice with one observer makes one span each, and ends', async () => {
    const scene = observed();
    const end = instrumentAiSdk({ observer: scene.observer });
    await generateText(agent());
    end();
    end();
    await generateText(agent());
    scene.end();
    await generateText(agent(undefined, wrapped(scripted(answers)) as never));
    expect(await scene.tree()).toEqual([...TREE, ...TREE]);
  });
});
