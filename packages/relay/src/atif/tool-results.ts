import { semconv } from '@hermes-observer/otel';
import { textAttribute } from '../spans/content.js';
import { type AskedCall, asObject, textOrJson } from '../spans/messages.js';
import type { TreeSpan } from '../spans/span-tree.js';
import { callId } from './asked-calls.js';
import { spanExtra, waitExtra } from './extra.js';
import type { Result, SubagentRef, ToolCall } from './trajectory.js';

/** What hangs below a tool call. */
export interface BelowTool {
  readonly refs: readonly SubagentRef[];
  readonly waits: readonly TreeSpan[];
}

export interface Calls {
  readonly tool_calls: readonly ToolCall[];
  readonly results: readonly Result[];
}

/** Calls that were asked for, with those that ran: what was asked and never ran has no result. */
export function callsOfStep(
  asked: readonly AskedCall[],
  tools: readonly TreeSpan[],
  agent: TreeSpan,
  below: (tool: TreeSpan) => BelowTool,
): Calls {
  const calls: ToolCall[] = [];
  const results: Result[] = [];
  const taken = new Set<string>();
  const left = [...tools];
  for (const { id, name, arguments: args } of asked) {
    if (taken.has(id)) continue;
    taken.add(id);
    const at = left.findIndex(({ span }) => span.attributes[semconv.ATTR_GEN_AI_TOOL_CALL_ID] === id);
    const [tool] = at < 0 ? [] : left.splice(at, 1);
    calls.push({
      tool_call_id: id,
      function_name: name || (tool === undefined ? 'tool' : toolName(tool)),
      arguments: args,
      ...(tool !== undefined && { extra: spanExtra(tool.span, toolName(tool), agent) }),
    });
    if (tool !== undefined) results.push(resultOf(tool, id, below(tool)));
  }
  for (const tool of left) {
    const id = callId(tool, taken);
    taken.add(id);
    calls.push({
      tool_call_id: id,
      function_name: toolName(tool),
      arguments: asObject(tool.span.attributes[semconv.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]),
      extra: spanExtra(tool.span, toolName(tool), agent),
    });
    results.push(resultOf(tool, id, below(tool)));
  }
  return { tool_calls: calls, results };
}

function resultOf({ span }: TreeSpan, id: string, { refs, waits }: BelowTool): Result {
  const content = span.attributes[semconv.ATTR_GEN_AI_TOOL_CALL_RESULT];
  const status = textAttribute(span.attributes, semconv.ATTR_HERMES_TOOL_STATUS);
  const blockedBy = textAttribute(span.attributes, semconv.ATTR_HERMES_TOOL_BLOCKED_BY);
  const errorType = textAttribute(span.attributes, semconv.ATTR_ERROR_TYPE);
  return {
    source_call_id: id,
    ...(content !== undefined && { content: textOrJson(content) }),
    ...(refs.length > 0 && { subagent_trajectory_ref: refs }),
    extra: {
      ...(status !== undefined && { status }),
      ...(blockedBy !== undefined && { blocked_by: blockedBy }),
      ...(errorType !== undefined && { error_type: errorType }),
      ...(waits.length > 0 && { waits: waits.map(waitExtra) }),
    },
  };
}

export const toolName = ({ span }: TreeSpan): string =>
  textAttribute(span.attributes, semconv.ATTR_GEN_AI_TOOL_NAME) ?? 'tool';
