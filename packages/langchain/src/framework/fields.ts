import { type Fields, fieldsOf, listOf, textOf } from '@hermes-observer/adapter';

// What is read of LangChain's objects, by their structure: no version of it is loaded, and any field may be absent.

export { type Fields, fieldsOf, listOf, textOf };

/** Whether a chain, as it is told of when it starts, is a graph. */
export function isGraph(chain: unknown): boolean {
  const [first, second] = listOf(fieldsOf(chain).id);
  return first === 'langgraph' && second === 'pregel';
}

/** Name of a graph that was given none. */
export const UNNAMED_GRAPH = 'LangGraph';
