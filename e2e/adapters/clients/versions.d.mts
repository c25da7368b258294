export const OPENAI: readonly string[];
export const ANTHROPIC: readonly string[];
