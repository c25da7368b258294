import { compareTime } from '@hermes-observer/core';
import { semconv } from '@hermes-observer/otel';
import { textAttribute } from '../spans/content.js';
import { type AskedCall, callsOf, messagesOf } from '../spans/messages.js';
import type { SpanTree, TreeSpan } from '../spans/span-tree.js';
import { spanUuid } from '../spans/span-uuid.js';

/** A request, the calls that its answer asked for, and those that ran. */
export interface Asking {
  readonly chat: TreeSpan;
  readonly asked: readonly AskedCall[];
  readonly tools: TreeSpan[];
}

/** Which tools each request of a run asked for, and which ones nobody asked for: calls of running code, or of unseen requests. */
export function askedTools(
  work: readonly TreeSpan[],
  tree: SpanTree,
  root: TreeSpan,
): { readonly askings: readonly Asking[]; readonly unasked: readonly TreeSpan[] } {
  const askings = work
    .filter(({ role }) => role === 'chat')
    .map((chat): Asking => {
      const answers = messagesOf(chat.span.attributes[semconv.ATTR_GEN_AI_OUTPUT_MESSAGES]);
      return { chat, asked: answers.flatMap(callsOf), tools: [] };
    });
  const unasked: TreeSpan[] = [];
  for (const tool of work.filter(({ role }) => role === 'tool')) {
    const isNested = tree.toolAbove(tool, root) !== undefined;
    const asking = isNested ? undefined : askingOf(tool, askings);
    if (asking === undefined) unasked.push(tool);
    else asking.tools.push(tool);
  }
  return { askings, unasked };
}

/** By the id of the request, else by that of the call, else, where answers are not known, the newest request. */
function askingOf({ span }: TreeSpan, askings: readonly Asking[]): Asking | undefined {
  const request = textAttribute(span.attributes, semconv.ATTR_HERMES_API_REQUEST_ID);
  const id = textAttribute(span.attributes, semconv.ATTR_GEN_AI_TOOL_CALL_ID);
  const before = askings.filter(({ chat }) => compareTime(chat.span.end, span.start) <= 0 && !chat.span.isError);
  const newest = (fits: (asking: Asking) => boolean) => before.findLast(fits);
  const byRequest =
    request === undefined
      ? undefined
      : newest(({ chat }) => chat.span.attributes[semconv.ATTR_HERMES_API_REQUEST_ID] === request);
  if (byRequest !== undefined) return byRequest;
  if (id !== undefined) {
    const byCall = newest(({ asked }) => asked.some((call) => call.id === id));
    if (byCall !== undefined) return byCall;
  }
  const isSilent = ({ chat }: Asking) => chat.span.attributes[semconv.ATTR_GEN_AI_OUTPUT_MESSAGES] === undefined;
  const last = before.at(-1);
  return request === undefined && last !== undefined && isSilent(last) ? last : undefined;
}

/** Id of a call in a step, where it must be there and be the only one. */
export function callId({ span }: TreeSpan, taken: ReadonlySet<string>): string {
  const id =
    textAttribute(span.attributes, semconv.ATTR_GEN_AI_TOOL_CALL_ID) ?? `call:${spanUuid(span.traceId, span.spanId)}`;
  return taken.has(id) ? `${id}:${spanUuid(span.traceId, span.spanId)}` : id;
}
