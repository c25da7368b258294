import type * as AnthropicModule from '@anthropic-ai/sdk';
import type { PlayScene } from '@hermes-observer/core/testing';
import type { Observer } from '@hermes-observer/otel';
import type * as OpenAIModule from 'openai';
import {
  chatAnswer,
  chatDeltas,
  chatEnd,
  messageAnswer,
  messageDeltas,
  messageEnd,
  messageStart,
} from './answers.test-support.js';
import { instrumentAnthropic, instrumentOpenAI } from './instrument.js';
import { json, type Reply, sse } from './loopback-server.test-support.js';

type Scene = PlayScene<Observer>;

export interface AskedCall {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

interface Said {
  readonly text: string;
  readonly calls: readonly AskedCall[];
  /** To be sent with what comes next. */
  readonly message: object;
}

/** How an agent talks by one of the clients, and its server answers. */
export interface Dialect {
  readonly name: string;
  readonly instrument: (observer: Observer) => () => void;
  ask(url: string, scene: Scene, messages: readonly object[], model: string): Promise<Said>;
  /** The pieces of a streamed answer. */
  stream(url: string, scene: Scene, signal?: AbortSignal): AsyncIterable<unknown>;
  /** Messages with results of calls. */
  results(results: readonly { readonly id: string; readonly result: unknown }[]): object[];
  answer(text: string | null, calls?: readonly AskedCall[]): Reply;
  streamed(model: string, deltas: number, how?: { delay?: number; breaks?: boolean }): Reply;
}

/** The code that a model is asked by: there the request's span must be the active one. */
const marking =
  (scene: Scene): typeof fetch =>
  (input, init) => {
    scene.mark('model');
    return fetch(input, init);
  };

export function openaiDialect(name: string, module: typeof OpenAIModule): Dialect {
  const clientOf = (url: string, scene: Scene) =>
    new module.OpenAI({ apiKey: 'sk', baseURL: `${url}/v1`, fetch: marking(scene) });
  return {
    name,
    instrument: (observer) => instrumentOpenAI({ module, observer, onWarning: () => {} }),
    async ask(url, scene, messages, model) {
      const { choices } = await clientOf(url, scene).chat.completions.create({ model, messages: messages as never });
      const { message } = choices[0] as (typeof choices)[0];
      const calls = (message.tool_calls ?? []).map((call) => {
        const { name, arguments: args } = (call as { function: { name: string; arguments: string } }).function;
        return { id: call.id, name, args: JSON.parse(args) };
      });
      return { text: message.content ?? '', calls, message };
    },
    async *stream(url, scene, signal) {
      const stream = await clientOf(url, scene).chat.completions.create(
        {
          model: scene.script.model,
          messages: [{ role: 'user', content: scene.script.prompt }],
          stream: true,
          stream_options: { include_usage: true },
        },
        signal === undefined ? {} : { signal },
      );
      for await (const { choices } of stream) yield choices[0]?.delta.content ?? '';
    },
    results: (all) =>
      all.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: JSON.stringify(result) })),
    answer: (text, calls) => (request, response) =>
      json(chatAnswer(String(request.body.model), text, calls))(request, response),
    streamed: (model, deltas, how) =>
      sse([...chatDeltas(model, deltas), ...(how?.breaks === true ? [] : chatEnd(model))], how),
  };
}

export function anthropicDialect(name: string, module: typeof AnthropicModule): Dialect {
  const clientOf = (url: string, scene: Scene) =>
    new module.Anthropic({ apiKey: 'sk', baseURL: url, fetch: marking(scene) });
  return {
    name,
    instrument: (observer) => instrumentAnthropic({ module, observer, onWarning: () => {} }),
    async ask(url, scene, messages, model) {
      const message = await clientOf(url, scene).messages.create({ model, messages: messages as never, max_tokens: 9 });
      const { content, role } = message;
      const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      const calls = content.flatMap((block) =>
        block.type === 'tool_use'
          ? [{ id: block.id, name: block.name, args: block.input as Record<string, unknown> }]
          : [],
      );
      return { text, calls, message: { role, content } };
    },
    async *stream(url, scene, signal) {
      const stream = await clientOf(url, scene).messages.create(
        {
          model: scene.script.model,
          messages: [{ role: 'user', content: scene.script.prompt }],
          max_tokens: 9,
          stream: true,
        },
        signal === undefined ? {} : { signal },
      );
      for await (const event of stream) if (event.type === 'content_block_delta') yield event.delta;
    },
    results: (all) => [
      {
        role: 'user',
        content: all.map(({ id, result }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: JSON.stringify(result),
        })),
      },
    ],
    answer: (text, calls) => (request, response) =>
      json(messageAnswer(String(request.body.model), text, calls))(request, response),
    streamed: (model, deltas, how) =>
      // Input tokens are told at the start, also of an answer that is aborted, which no other model does.
      sse(
        [
          ...messageStart(model, how?.delay === undefined ? undefined : {}),
          ...messageDeltas(deltas),
          ...(how?.breaks === true ? [] : messageEnd()),
        ],
        how,
      ),
  };
}
