/** Names of providers, of the GenAI conventions and of agents, where the list of prices calls them otherwise. */
const IDS: Readonly<Record<string, string>> = {
  'aws.bedrock': 'aws',
  'azure.ai.inference': 'azure',
  'azure.ai.openai': 'azure',
  bedrock: 'aws',
  gemini: 'google',
  'gcp.gemini': 'google',
  'gcp.gen_ai': 'google',
  'gcp.vertex_ai': 'google',
  mistral_ai: 'mistral',
  moonshot_ai: 'moonshotai',
  x_ai: 'x-ai',
  xai: 'x-ai',
};

/** The name of a provider in the list of prices, if it is there. */
export function providerIdOf(provider: string): string {
  const name = provider.trim().toLowerCase();
  return Object.hasOwn(IDS, name) ? (IDS[name] as string) : name;
}
