import { SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { rejection, Scene, sleep } from './scene.test-support.js';

class RateLimitError extends Error {
  readonly status = 429;
}

describe('a request', () => {
  it('carries what is known of it before and after', async () => {
    const scene = new Scene({ capture: 'full' });
    await scene.observer.turn(
      { sessionId: 's', model: 'default', provider: 'openai', platform: 'cli' },
      async (turn) => {
        await turn.request(
          {
            model: 'gpt-x',
            baseUrl: 'https://api.example.com:8443/v1',
            apiMode: 'chat_completions',
            messages: [{ role: 'user', content: 'q' }],
            systemPrompt: 'be brief',
            maxTokens: 100,
          },
          (request) => {
            expect(request.id).toBe(`${turn.turnId}:api:1`);
            request.report({
              usage: { inputTokens: 10, cacheReadTokens: 4, outputTokens: 3, reasoningTokens: 1 },
              finishReason: 'stop',
              responseModel: 'gpt-x-1',
              message: { role: 'assistant', content: 'four' },
              toolCalls: [],
            });
            return 42;
          },
        );
      },
    );
    const chat = await scene.span('chat gpt-x');
    expect(chat.attributes).toMatchObject({
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-x',
      'gen_ai.request.max_tokens': 100,
      'gen_ai.response.model': 'gpt-x-1',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.cache_read.input_tokens': 4,
      'gen_ai.usage.output_tokens': 3,
      'gen_ai.usage.reasoning.output_tokens': 1,
      'server.address': 'api.example.com',
      'server.port': 8443,
      'hermes.api.mode': 'chat_completions',
      'hermes.api.call_count': 1,
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"q"}]}]',
      'gen_ai.system_instructions': '[{"type":"text","content":"be brief"}]',
    });
    expect(chat.attributes['gen_ai.output.messages']).toContain('four');
    expect(scene.payloads('pre_api_request')[0]).toMatchObject({ message_count: 1, retry_count: 0, platform: 'cli' });
    const [post] = scene.payloads('post_api_request');
    expect(post).toMatchObject({ assistant_content_chars: 4, assistant_tool_call_count: 0, first_chunk_at: null });
    expect(Number(post?.ended_at) - Number(post?.started_at)).toBeCloseTo(Number(post?.api_duration), 4);
    expect(Math.abs(Number(post?.started_at) - Date.now() / 1000)).toBeLessThan(10);
  });

  it('takes the model and provider of the turn where it names none', async () => {
    const scene = new Scene();
    await scene.observer.turn({ model: 'm', provider: 'p' }, (turn) => turn.request({}, () => 1));
    expect((await scene.span('chat m')).attributes['gen_ai.provider.name']).toBe('p');
  });

  it('fails with the status of the answer, whatever the class of the error', async () => {
    const scene = new Scene();
    const error = new RateLimitError('slow down');
    await scene.observer.turn({}, async (turn) => {
      expect(await rejection(turn.request({ model: 'm' }, () => Promise.reject(error)))).toBe(error);
    });
    const chat = await scene.span('chat m');
    expect(chat.attributes).toMatchObject({ 'error.type': '429', 'http.response.status_code': 429 });
    expect(chat.status.code).toBe(SpanStatusCode.ERROR);
    const root = await scene.span('invoke_agent hermes');
    expect(root.attributes['hermes.turn.outcome']).toBe('completed');
    expect(root.status.code).toBe(SpanStatusCode.UNSET);
  });

  it('is cancelled, without an error, when it is aborted', async () => {
    const scene = new Scene();
    const abort = new AbortController();
    await rejection(
      scene.observer.turn({ signal: abort.signal }, async (turn) => {
        await turn.request({ model: 'm' }, async ({ signal }) => {
          abort.abort();
          signal?.throwIfAborted();
        });
      }),
    );
    const chat = await scene.span('chat m');
    expect(chat.attributes['gen_ai.response.finish_reasons']).toEqual(['cancelled']);
    expect(chat.status.code).toBe(SpanStatusCode.UNSET);
    const root = await scene.span('invoke_agent hermes');
    expect(root.attributes).toMatchObject({
      'hermes.turn.outcome': 'interrupted',
      'hermes.turn.exit_reason': 'interrupted_during_api_call',
    });
    expect(root.status.code).toBe(SpanStatusCode.UNSET);
  });

  it('aborts by its own signal or the turn’s', async () => {
    const [turns, own] = [new AbortController(), new AbortController()];
    const scene = new Scene();
    await scene.observer.turn({ signal: turns.signal }, async (turn) => {
      await turn.request({ signal: own.signal }, ({ signal }) => {
        expect(signal?.aborted).toBe(false);
        own.abort('mine');
        expect(signal?.reason).toBe('mine');
      });
      await turn.request({ signal: new AbortController().signal }, ({ signal }) => {
        turns.abort('theirs');
        expect(signal?.reason).toBe('theirs');
      });
    });
  });

  it('runs side by side with others, each with its own span', async () => {
    const scene = new Scene();
    await scene.observer.turn({}, async (turn) => {
      await Promise.all([5, 1, 3].map((delay, n) => turn.request({ model: `m${n}` }, () => sleep(delay))));
      await turn.request({ model: 'last' }, () => 1);
    });
    for (const name of ['chat m0', 'chat m1', 'chat m2', 'chat last']) {
      expect((await scene.span(name)).attributes['hermes.incomplete']).toBeUndefined();
    }
    expect((await scene.span('invoke_agent hermes')).attributes['hermes.turn.api_calls']).toBe(4);
  });
});

describe('attempts', () => {
  it('that fail become events of one span', async () => {
    const scene = new Scene();
    const numbers: number[] = [];
    await scene.observer.turn({}, (turn) =>
      turn.request({ model: 'm' }, async (request) => {
        for (;;) {
          try {
            return await request.attempt(async (number) => {
              numbers.push(number);
              if (number < 3) throw new RateLimitError('again');
              return 'ok';
            });
          } catch (error) {
            expect(error).toBeInstanceOf(RateLimitError);
          }
        }
      }),
    );
    expect(numbers).toEqual([1, 2, 3]);
    const chat = await scene.span('chat m');
    expect(chat.attributes['hermes.api.attempts']).toBe(3);
    expect(chat.status.code).toBe(SpanStatusCode.UNSET);
    expect(chat.events.map(({ name, attributes }) => [name, attributes])).toEqual(
      [1, 2].map((attempt) => [
        'hermes.api.attempt_failed',
        expect.objectContaining({
          'hermes.api.attempt': attempt,
          'error.type': '429',
          'http.response.status_code': 429,
        }),
      ]),
    );
    const starts = scene.payloads('pre_api_request');
    expect(starts.map(({ retry_count }) => retry_count)).toEqual([0, 1, 2]);
    expect(new Set(starts.map(({ api_request_id }) => api_request_id)).size).toBe(1);
    expect(new Set(starts.map(({ started_at }) => started_at)).size).toBe(1);
  });

  it('that all fail end the request with the last failure, reported once', async () => {
    const scene = new Scene();
    const wrapped = new Error('gave up');
    await scene.observer.turn({}, async (turn) => {
      const request = turn.request({ model: 'm' }, async ({ attempt }) => {
        for (let n = 0; n < 2; n++)
          await attempt(() => Promise.reject(new RateLimitError('no'))).catch(() => undefined);
        throw wrapped;
      });
      expect(await rejection(request)).toBe(wrapped);
    });
    const chat = await scene.span('chat m');
    expect(chat.attributes).toMatchObject({ 'hermes.api.attempts': 2, 'error.type': '429' });
    expect(chat.events).toHaveLength(2);
    expect(scene.payloads('post_api_request')).toEqual([]);
  });

  it('that all fail are a failed request, even if the agent goes on with something else', async () => {
    const scene = new Scene();
    await scene.observer.turn({}, async (turn) => {
      await turn.request({ model: 'm' }, async ({ attempt }) => {
        await attempt(() => Promise.reject(new RateLimitError('no'))).catch(() => undefined);
        return 'canned answer';
      });
      await turn.request({ model: 'next' }, () => 1);
    });
    expect((await scene.span('chat m')).attributes['error.type']).toBe('429');
  });

  it('stop with an abort between two of them', async () => {
    const scene = new Scene();
    const abort = new AbortController();
    await scene.observer.turn({}, async (turn) => {
      const request = turn.request({ model: 'm', signal: abort.signal }, async ({ attempt, signal }) => {
        await attempt(() => Promise.reject(new RateLimitError('no'))).catch(() => abort.abort());
        signal?.throwIfAborted();
      });
      await rejection(request);
    });
    const chat = await scene.span('chat m');
    expect(chat.attributes['gen_ai.response.finish_reasons']).toEqual(['cancelled']);
    expect(chat.status.code).toBe(SpanStatusCode.UNSET);
    expect(chat.events).toHaveLength(1);
  });
});
