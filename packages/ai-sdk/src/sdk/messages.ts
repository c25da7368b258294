import { type Fields, fieldsOf, listOf, recordsInputs, textOf } from './events.js';
import { mediaPart } from './media.js';

/** The SDK's messages as records have them: parts of the GenAI conventions, and a message for each result of a tool. */
export const recordedMessages = (messages: readonly unknown[]): readonly unknown[] => messages.flatMap(recorded);

function recorded(message: unknown): unknown[] {
  const { role, content } = fieldsOf(message);
  if (!Array.isArray(content)) return [message];
  if (role === 'tool') return content.map(toolMessage);
  return [{ role, content: content.map(recordedPart) }];
}

function toolMessage(value: unknown): unknown {
  const part = recordedPart(value);
  if (part.type !== 'tool_call_response') return { role: 'user', content: [part] };
  return { role: 'tool', tool_call_id: part.id, content: part.response };
}

/** A part of a message, or of the result of a tool. What is not known stays as it is. */
export function recordedPart(value: unknown): Fields {
  const part = fieldsOf(value);
  const { type, mediaType } = part;
  switch (type) {
    case 'text':
    case 'reasoning':
      return { type, content: part.text };
    case 'tool-call':
      return { type: 'tool_call', id: part.toolCallId, name: part.toolName, arguments: part.input };
    case 'tool-result':
      return { type: 'tool_call_response', id: part.toolCallId, response: responseOf(part.output) };
    case 'tool-approval-request':
      return { type: 'tool_approval_request', id: part.approvalId, tool_call_id: part.toolCallId };
    case 'tool-approval-response':
      return { type: 'tool_approval_response', id: part.approvalId, approved: part.approved, reason: part.reason };
    case 'image':
      return mediaPart(part.image, mediaType, 'image');
    case 'file':
    case 'reasoning-file':
    case 'media':
    case 'file-data':
      return mediaPart(part.data, mediaType);
    case 'image-data':
      return mediaPart(part.data, mediaType, 'image');
    case 'file-url':
      return mediaPart(part.url, mediaType);
    case 'image-url':
      return mediaPart(part.url, mediaType, 'image');
    case 'file-id':
    case 'file-reference':
      return fileOf(part.fileId ?? part.providerReference, undefined);
    case 'image-file-id':
    case 'image-file-reference':
      return fileOf(part.fileId ?? part.providerReference, 'image');
    default:
      return part;
  }
}

const fileOf = (id: unknown, known: string | undefined): Fields =>
  mediaPart(typeof id === 'string' ? { id } : id, undefined, known);

/** What a tool gave, without what the SDK says of its kind: an error is what the model is told of it. */
function responseOf(output: unknown): unknown {
  const { type, value, reason } = fieldsOf(output);
  switch (type) {
    case 'text':
    case 'json':
    case 'error-text':
    case 'error-json':
      return value;
    case 'execution-denied':
      return textOf(reason) ?? 'Tool execution denied.';
    case 'content':
      return listOf(value).map(recordedPart);
    default:
      return output;
  }
}

/** The last thing the user said. */
export function userMessageOf(event: Fields): string | readonly unknown[] | undefined {
  if (!recordsInputs(event)) return undefined;
  for (const message of [...listOf(event.messages)].reverse()) {
    const { role, content } = fieldsOf(message);
    if (role !== 'user') continue;
    if (typeof content === 'string') return content;
    const parts = listOf(content);
    const [only] = parts;
    const text = parts.length === 1 ? textOf(fieldsOf(only).text) : undefined;
    return text ?? parts.map(recordedPart);
  }
  return textOf(event.prompt);
}
