import { checkCallback } from '@hermes-observer/adapter';
import { inUse } from './in-use.js';
import { runTool } from './run-tool.js';

/** A tool call. */
export interface ToolInfo {
  readonly name: string;
  /** As the model named it: `tool_calls[].id` of OpenAI, `call_id` of Responses, `id` of Anthropic's `tool_use`. @default a random one */
  readonly callId?: string | undefined;
  /** Content. */
  readonly args?: unknown;
}

/**
 * Calls `fn` at once as the tool call of the turn it is in. A result with `is_error` (Anthropic) or `isError` (MCP) is one of a
 * call that failed. Gives what `fn` gives, and throws what it throws. Outside of a turn it is `fn` alone.
 *
 * @throws ObserverError `HO_OPTION` without `info` or `fn`.
 */
export async function withTool<T>(info: ToolInfo, fn: () => T | PromiseLike<T>): Promise<Awaited<T>> {
  checkCallback('withTool', info, fn);
  const watcher = inUse();
  const turn = watcher?.scopes.getStore()?.turn;
  if (watcher === undefined || turn === undefined || turn.isEnded) return await fn();
  const tool = watcher.guard.safely(() => turn.tool(info));
  return tool === undefined ? await fn() : await runTool(watcher, turn, tool, async () => await fn());
}
