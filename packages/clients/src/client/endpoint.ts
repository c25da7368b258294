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
const PROVIDERS: readonly (readonly [RegExp, ofOpenAI: string, ofAnthropic: string])[] = [
  [/Azure|Foundry/, 'azure.ai.openai', 'azure.ai.inference'],
  [/Bedrock|AWS|Aws/, 'aws.bedrock', 'aws.bedrock'],
  [/Vertex/, 'gcp.vertex_ai', 'gcp.vertex_ai'],
];

/** By the class of a client, and the server by its address: both stay what they are. */
const providers = new WeakMap<object, string>();
const origins = new Map<string, string | undefined>();
const MOST_ORIGINS = 100;

/** Whom a client asks: of one for a platform that, of any other the one whose protocol it speaks. */
export function providerOf(client: object, { apiMode }: Protocol): string {
  const type = client.constructor;
  const known = providers.get(type);
  if (known !== undefined) return known;
  const name = textOf(type.name) ?? '';
  const isAnthropic = apiMode === 'anthropic_messages';
  const platform = PROVIDERS.find(([pattern]) => pattern.test(name));
  const provider = platform === undefined ? (isAnthropic ? 'anthropic' : 'openai') : platform[isAnthropic ? 2 : 1];
  providers.set(type, provider);
  return provider;
}

/** The server a client asks, without what else stands in its address. */
export function originOf(client: object): string | undefined {
  const { baseURL } = client as { baseURL?: unknown };
  if (typeof baseURL !== 'string') return undefined;
  if (!origins.has(baseURL)) {
    if (origins.size >= MOST_ORIGINS) origins.clear();
    origins.set(baseURL, URL.canParse(baseURL) ? new URL(baseURL).origin : undefined);
  }
  return origins.get(baseURL);
}
