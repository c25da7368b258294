/** Names of OpenInference for who serves a model, by name in the GenAI conventions and in agents. Others stay as they are. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['aws.bedrock', 'aws'],
  ['bedrock', 'aws'],
  ['azure.ai.openai', 'azure'],
  ['azure.ai.inference', 'azure'],
  ['gcp.gemini', 'google'],
  ['gcp.gen_ai', 'google'],
  ['gcp.vertex_ai', 'google'],
  ['gemini', 'google'],
  ['mistral_ai', 'mistralai'],
  ['mistral', 'mistralai'],
  ['moonshot_ai', 'moonshot'],
  ['x_ai', 'xai'],
]);

/** The family of the model, by words in its name: OpenInference asks for whose protocol or model it is. */
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bclaude\b/, 'anthropic'],
  [/\b(gpt|o[1345]|chatgpt|codex)\b/, 'openai'],
  [/\bgemini\b/, 'vertexai'],
  [/\b(mistral|mixtral|codestral|magistral|devstral)\b/, 'mistralai'],
  [/\bcommand\b/, 'cohere'],
  [/\bllama\b/, 'meta'],
  [/\bjamba\b/, 'ai21'],
  [/\bnova\b/, 'amazon'],
];

const SYSTEM_OF_PROVIDER: ReadonlyMap<string, string> = new Map([
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['cohere', 'cohere'],
  ['mistral_ai', 'mistralai'],
  ['mistral', 'mistralai'],
  ['gcp.vertex_ai', 'vertexai'],
  ['gcp.gemini', 'vertexai'],
  ['gcp.gen_ai', 'vertexai'],
  ['azure.ai.openai', 'openai'],
]);

export const llmProvider = (provider: string | undefined) =>
  provider === undefined ? undefined : (PROVIDERS.get(provider.toLowerCase()) ?? provider);

/** `undefined` where neither provider nor model tells. */
export function llmSystem(provider: string | undefined, model: string | undefined): string | undefined {
  const known = SYSTEM_OF_PROVIDER.get(provider?.toLowerCase() ?? '');
  if (known !== undefined || model === undefined) return known;
  const words = model.toLowerCase().replaceAll(/[-_/:.]/g, ' ');
  return SYSTEMS.find(([pattern]) => pattern.test(words))?.[1];
}
