import type { AskedToolCall } from '@hermes-observer/adapter';
import { type Fields, fieldsOf, listOf, textOf } from './fields.js';

/** The text of a model's answer; `undefined` without any. */
export function answerTextOf(output: unknown): string | undefined {
  let all: string | undefined;
  for (const item of listOf(output)) {
    const { type, role, content } = fieldsOf(item);
    if (role !== 'assistant' || (type !== undefined && type !== 'message')) continue;
    for (const part of listOf(content)) {
      const text = textOf(fieldsOf(part).text);
      if (text !== undefined) all = all === undefined ? text : all + text;
    }
  }
  return all;
}

/** Calls that the program runs, by the type of their item; what they are called as tools. */
const CALLS: Readonly<Record<string, string>> = {
  computer_call: 'computer',
  shell_call: 'shell',
  apply_patch_call: 'apply_patch',
};

/** A call as the agent has it, of the item it came in; `undefined` where the item is none. */
export function callOf(item: unknown): AskedToolCall | undefined {
  const fields = fieldsOf(item);
  const { type, callId, name, arguments: args } = fields;
  const id = textOf(callId) ?? textOf(fields.id);
  if (id === undefined) return undefined;
  if (type === 'function_call') return { id, name: textOf(name) ?? 'unknown', arguments: textOf(args) ?? '{}' };
  const known = CALLS[String(type)];
  if (known === undefined) return undefined;
  return { id, name: textOf(name) ?? known, arguments: JSON.stringify(fields.action ?? fields.operation ?? {}) };
}

/** Calls in a model's answer that the program is to run. */
export const callsIn = (output: unknown): AskedToolCall[] =>
  listOf(output)
    .map(callOf)
    .filter((call) => call !== undefined);

/** A tool that the provider ran while it answered. */
export interface HostedCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: unknown;
  readonly result: unknown;
  readonly hasFailed: boolean;
}

/** Items of hosted tools that are no call. */
const NO_CALLS: ReadonlySet<unknown> = new Set(['mcp_approval_request', 'mcp_list_tools', 'mcp_approval_response']);

export const hostedCallsIn = (output: unknown): HostedCall[] =>
  listOf(output)
    .map(fieldsOf)
    .filter(
      ({ type, name, providerData }) =>
        type === 'hosted_tool_call' && !NO_CALLS.has(name) && !NO_CALLS.has(fieldsOf(providerData).type),
    )
    .map(hostedCallOf);

function hostedCallOf({ id, name, arguments: args, output, status, providerData }: Fields): HostedCall {
  const told = fieldsOf(providerData);
  return {
    // One that a person allowed is the call that was asked about.
    id: textOf(told.approval_request_id) ?? textOf(id),
    // A call to a tool of an MCP server has the tool's name there.
    name: textOf(told.name) ?? textOf(name) ?? 'unknown',
    args: args ?? told.arguments,
    result: output ?? told.output,
    hasFailed: status === 'failed' || (told.error !== undefined && told.error !== null),
  };
}

/** Results of calls, by the call's id, in the input of a model or the items of a run. */
export function resultsIn(items: unknown): Map<string, unknown> {
  const all = new Map<string, unknown>();
  for (const item of listOf(items)) {
    const fields = fieldsOf(item);
    const result = resultOf(fields.rawItem ?? fields);
    if (result !== undefined) all.set(result.callId, textOf(fieldsOf(result.output).text) ?? result.output);
  }
  return all;
}

/** A result as the agent has it, of its item; `undefined` where the item is none. */
export function resultOf(item: unknown): { readonly callId: string; readonly output: unknown } | undefined {
  const { type, callId, output, tools } = fieldsOf(item);
  const id = textOf(callId);
  if (id === undefined || !/_(result|output)$/.test(String(type))) return undefined;
  return { callId: id, output: output ?? tools };
}
