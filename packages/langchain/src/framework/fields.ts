// What is read of LangChain's objects, by their structure: no version of it is loaded, and any field may be absent.

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Whether a chain, as it is told of when it starts, is a graph. */
export function isGraph(chain: unknown): boolean {
  const [first, second] = listOf(fieldsOf(chain).id);
  return first === 'langgraph' && second === 'pregel';
}

/** Name of a graph that was given none. */
export const UNNAMED_GRAPH = 'LangGraph';
