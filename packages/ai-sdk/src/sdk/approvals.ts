import { type Fields, fieldsOf, listOf, textOf } from './events.js';

/** A question about a call, as it stands in content and messages. */
export interface AskedCall {
  readonly approvalId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** A question that a person has answered. */
export interface AnsweredCall extends AskedCall {
  readonly approved: boolean;
  readonly reason: string | undefined;
}

/** The questions to a person in what a step gave. */
export function questionsIn(content: unknown): AskedCall[] {
  const parts = listOf(content).map(fieldsOf);
  const answered = new Set(parts.filter(isAnswer).map(({ approvalId }) => approvalId));
  return parts
    .filter(({ type, approvalId }) => type === 'tool-approval-request' && !answered.has(approvalId))
    .map(({ approvalId, toolCall }) => askedCall(approvalId, toolCall));
}

/** The calls that a rule of the program denied, in what a step gave: nobody was asked. */
export function deniedIn(content: unknown): AskedCall[] {
  return listOf(content)
    .map(fieldsOf)
    .filter((part) => isAnswer(part) && part.approved === false)
    .map(({ approvalId, toolCall }) => askedCall(approvalId, toolCall));
}

const isAnswer = ({ type }: Fields) => type === 'tool-approval-response';

function askedCall(approvalId: unknown, call: unknown): AskedCall {
  const { toolCallId, toolName, input } = fieldsOf(call);
  return {
    approvalId: textOf(approvalId) ?? '',
    toolCallId: textOf(toolCallId) ?? '',
    toolName: textOf(toolName) ?? '',
    input,
  };
}

/**
 * The answers a call of the SDK is resumed with: they stand in its last message. All that is needed to tell them stands in
 * the messages before, so they are found in another process as well.
 */
export function answersIn(messages: unknown): AnsweredCall[] {
  const all = listOf(messages).map(fieldsOf);
  const last = all.at(-1);
  if (last?.role !== 'tool') return [];
  const parts = listOf(last.content).map(fieldsOf);
  const responses = parts.filter(({ type }) => type === 'tool-approval-response');
  if (responses.length === 0) return [];
  const results = new Set(parts.filter(({ type }) => type === 'tool-result').map(({ toolCallId }) => toolCallId));
  const calls = new Map<unknown, unknown>();
  const questions = new Map<unknown, unknown>();
  for (const { role, content } of all) {
    if (role !== 'assistant') continue;
    for (const part of listOf(content).map(fieldsOf)) {
      if (part.type === 'tool-call') calls.set(part.toolCallId, part);
      if (part.type === 'tool-approval-request') questions.set(part.approvalId, part.toolCallId);
    }
  }
  return responses
    .map(({ approvalId, approved, reason }) => ({
      ...askedCall(approvalId, calls.get(questions.get(approvalId))),
      approved: approved === true,
      reason: textOf(reason),
    }))
    .filter(({ toolCallId }) => toolCallId !== '' && !results.has(toolCallId));
}
