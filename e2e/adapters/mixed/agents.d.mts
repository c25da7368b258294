export type AgentRun = (question: string) => Promise<string>;
type CreateAgent = (name: string, colleagues?: Readonly<Record<string, AgentRun>>) => AgentRun;

/** Tokens of each request, in all frameworks. */
export const USAGE: { readonly input: number; readonly output: number };
export const aiSdkAgent: CreateAgent;
export const openAiAgent: CreateAgent;
export const langChainAgent: CreateAgent;
