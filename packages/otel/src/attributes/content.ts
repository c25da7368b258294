import type { Payload } from '@hermes-observer/core';
import type { AnyNode } from '../assembly/span-node.js';
import type { Capture } from './capture.js';
import { CONTENT_BYTES, contentJson, contentList, contentText, contentTextOrJson } from './content-text.js';
import { requestMessages, responseMessage, systemInstructions, toMessage } from './messages.js';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_HERMES_APPROVAL_COMMAND,
  ATTR_HERMES_APPROVAL_DESCRIPTION,
  ATTR_HERMES_HUMAN_INPUT_PROMPT,
} from './semconv.js';
import type { AttributeTarget } from './values.js';

/**
 * Adds the content that a record brings to a span. Which fields are content of which hook is decided here alone, so
 * with content off nothing else can put any on a span.
 */
export function setContent(span: AttributeTarget, node: AnyNode, payload: Payload, capture: Capture): void {
  if (capture === 'none') return;
  switch (node.kind) {
    case 'turn':
      setMessages(span, ATTR_GEN_AI_INPUT_MESSAGES, payload.user_message, 'user', capture);
      setMessages(span, ATTR_GEN_AI_OUTPUT_MESSAGES, payload.assistant_response, 'assistant', capture);
      break;
    case 'child':
      setMessages(span, ATTR_GEN_AI_INPUT_MESSAGES, payload.child_goal, 'user', capture);
      setMessages(span, ATTR_GEN_AI_OUTPUT_MESSAGES, payload.child_summary, 'assistant', capture);
      break;
    case 'request':
    case 'auxiliary':
      setRequestContent(span, payload, capture);
      break;
    case 'tool':
      set(span, ATTR_GEN_AI_TOOL_CALL_ARGUMENTS, contentTextOrJson(payload.args, capture));
      set(span, ATTR_GEN_AI_TOOL_CALL_RESULT, contentTextOrJson(payload.result, capture));
      break;
    case 'approval':
      set(span, ATTR_HERMES_APPROVAL_COMMAND, contentText(payload.command, capture));
      set(span, ATTR_HERMES_APPROVAL_DESCRIPTION, contentText(payload.description, capture));
      break;
    case 'human_input':
      set(span, ATTR_HERMES_HUMAN_INPUT_PROMPT, contentText(payload.prompt, capture));
      break;
  }
}

function set(span: AttributeTarget, name: string, text: string | undefined): void {
  if (text !== undefined) span.setAttribute(name, text);
}

function setMessages(span: AttributeTarget, name: string, content: unknown, role: string, capture: Capture): void {
  if (content === undefined || content === null || content === '') return;
  set(span, name, contentJson([toMessage({ role, content })], capture));
}

/** Of the share of what came in: the system prompt is the same in all requests, the messages are not. */
const SYSTEM_BYTES = CONTENT_BYTES / 4;

function setRequestContent(span: AttributeTarget, payload: Payload, capture: Capture): void {
  const messages = requestMessages(payload);
  const system = contentJson(systemInstructions(payload), capture, SYSTEM_BYTES);
  if (messages !== undefined) {
    const leftOut = (count: number) => ({ role: 'custom', parts: [{ type: 'hermes.left_out', messages: count }] });
    const bytes = CONTENT_BYTES - Buffer.byteLength(system ?? '');
    set(span, ATTR_GEN_AI_INPUT_MESSAGES, contentList(messages, toMessage, capture, leftOut, bytes));
  }
  set(span, ATTR_GEN_AI_SYSTEM_INSTRUCTIONS, system);
  const answer = responseMessage(payload);
  if (answer !== undefined) set(span, ATTR_GEN_AI_OUTPUT_MESSAGES, contentJson([answer], capture));
}
