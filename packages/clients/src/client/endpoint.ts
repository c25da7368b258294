import { chatCompletions } from '../answer/chat-completions.js';
import { fieldsOf, textOf } from '../answer/fields.js';
import { messages } from '../answer/messages.js';
import type { Protocol } from '../answer/protocol.js';
import { responses } from '../answer/responses.js';

/** What generates. Embeddings, batches, files and all else are left alone. */
const GENERATIONS: Readonly<Record<string, Protocol>> = {
  '/chat/completions': chatCompletions,
  '/completions': chatCompletions,
  '/responses': responses,
  '/v1/messages': messages,
};

/** How a request of a client is read, if a model generates what it asks for. */
export function protocolOf(options: unknown): Protocol | undefined {
  const { method, path } = fieldsOf(options);
  if (typeof path !== 'string' || method !== 'post') return undefined;
  const end = path.indexOf('?');
  const name = end < 0 ? path : path.slice(0, end);
  return Object.hasOwn(GENERATIONS, name) ? GENERATIONS[name] : undefined;
}

/** Clients for platforms, by the name of their class. */
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/Azure|Foundry/, 'azure.ai.openai'],
  [/Bedrock|AWS|Aws/, 'aws.bedrock'],
  [/Vertex/, 'gcp.vertex_ai'],
];

/** Whom a client asks: of one for a platform that, of any other the one whose protocol it speaks. */
export function providerOf(client: object, { apiMode }: Protocol): string {
  const name = textOf(client.constructor?.name) ?? '';
  const isAnthropic = apiMode === 'anthropic_messages';
  for (const [pattern, provider] of PROVIDERS) {
    if (pattern.test(name)) return isAnthropic && provider.startsWith('azure') ? 'azure.ai.inference' : provider;
  }
  return isAnthropic ? 'anthropic' : 'openai';
}

/** The server a client asks, without what else stands in its address. */
export function originOf(client: object): string | undefined {
  const { baseURL } = client as { baseURL?: unknown };
  return typeof baseURL === 'string' && URL.canParse(baseURL) ? new URL(baseURL).origin : undefined;
}
