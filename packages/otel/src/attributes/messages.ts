/**
 * Messages of the providers' protocols (chat completions, Anthropic messages, Responses) in the shape of the GenAI
 * conventions: `{ role, parts }`. What is not recognised is kept as it is, as a part of its own type.
 */
type Json = Record<string, unknown>;
type Part = Json & { type: string };

export interface Message {
  readonly role: string;
  readonly parts: Part[];
  readonly finish_reason?: string;
}

/** Something with fields. Lists and bytes have too many to be spread: a bounded copy is made of them as they are. */
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);

/** A list of more parts is no message of a model. */
const MOST_PARTS = 4096;
const string = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** Arguments come as JSON text; the conventions want the value. */
function parsedArguments(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function toolCall(call: Json): Part {
  const inner = isObject(call.function) ? call.function : call;
  const id = string(call.call_id) ?? string(call.id);
  const args = parsedArguments(inner.arguments ?? inner.input);
  return { type: 'tool_call', ...(id === undefined ? {} : { id }), name: string(inner.name) ?? '', arguments: args };
}

function part(value: unknown): Part {
  if (typeof value === 'string') return { type: 'text', content: value };
  if (typeof value === 'bigint') return { type: 'text', content: String(value) };
  if (typeof value === 'object' && value !== null && !isObject(value)) return { type: 'unknown', content: value };
  if (!isObject(value)) return { type: 'text', content: String(value ?? '') };
  switch (value.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return { type: 'text', content: value.text ?? value.content ?? '' };
    case 'thinking':
    case 'reasoning':
      return { type: 'reasoning', content: value.thinking ?? value.summary ?? value.text ?? value.content ?? '' };
    case 'tool_use':
    case 'function_call':
      return toolCall(value);
    case 'tool_result':
    case 'function_call_output': {
      const id = string(value.tool_use_id) ?? string(value.call_id);
      return {
        type: 'tool_call_response',
        ...(id === undefined ? {} : { id }),
        response: value.content ?? value.output,
      };
    }
    case 'image_url':
    case 'input_image': {
      const source = isObject(value.image_url) ? value.image_url.url : value.image_url;
      return { type: 'uri', modality: 'image', uri: source ?? '' };
    }
    default:
      return { ...value, type: string(value.type) ?? 'unknown' };
  }
}

const parts = (content: unknown): Part[] => {
  if (content === undefined || content === null || content === '') return [];
  if (!Array.isArray(content)) return [part(content)];
  return content.length <= MOST_PARTS ? content.map(part) : [{ type: 'unknown', content }];
};

/** One message of a request, or one item of a Responses input. */
export function toMessage(value: unknown): Message {
  if (!isObject(value)) return { role: 'user', parts: parts(value) };
  const { type } = value;
  if (type === 'function_call' || type === 'reasoning') return { role: 'assistant', parts: [part(value)] };
  if (type === 'function_call_output') return { role: 'tool', parts: [part(value)] };
  const role = string(value.role) ?? 'user';
  if (role === 'tool') {
    const id = string(value.tool_call_id);
    return {
      role,
      parts: [{ type: 'tool_call_response', ...(id === undefined ? {} : { id }), response: value.content ?? '' }],
    };
  }
  const all: Part[] = [];
  const thoughts = value.reasoning_content ?? value.reasoning;
  if (string(thoughts) !== undefined) all.push({ type: 'reasoning', content: thoughts });
  all.push(...parts(value.content));
  if (Array.isArray(value.tool_calls))
    for (const call of value.tool_calls) if (isObject(call)) all.push(toolCall(call));
  // Keys we do not know may be all there is (a marker of left out items, say): then they are shown.
  if (all.length === 0 && value.role === undefined) all.push({ ...value, type: string(type) ?? 'unknown' });
  return { role, parts: all };
}

/** True when the agent's own bounds left something out of a list: it marks that with a last item. */
const isWhole = (list: readonly unknown[]) => {
  const last = list[list.length - 1];
  return !(isObject(last) && '_truncated_items' in last);
};

/**
 * The messages of a request: those of its body, which is what was sent; where the agent cut the body, those it holds.
 */
export function requestMessages(payload: Json): unknown[] | undefined {
  const { request_messages, request } = payload;
  const held = Array.isArray(request_messages) && request_messages.length > 0 ? request_messages : undefined;
  const body = isObject(request) ? request.body : undefined;
  if (!isObject(body)) return held ?? (string(body) === undefined ? undefined : [body]);
  const sent = body.messages ?? body.input;
  if (Array.isArray(sent) && sent.length > 0) return isWhole(sent) ? sent : (held ?? sent);
  if (held !== undefined) return held;
  const only = string(sent) ?? string(body.preview);
  return only === undefined ? undefined : [only];
}

/** The system prompt of a request as text parts. */
export function systemInstructions(payload: Json): Part[] | undefined {
  const body = isObject(payload.request) && isObject(payload.request.body) ? payload.request.body : {};
  const prompt = payload.system_prompt || body.system || body.instructions;
  const all = parts(prompt);
  return all.length === 0 ? undefined : all;
}

/** The answer of a request, as its one choice. */
export function responseMessage(payload: Json): Message | undefined {
  const response = isObject(payload.response) ? payload.response : undefined;
  const answer =
    response?.assistant_message ?? (isObject(payload.assistant_message) ? payload.assistant_message : undefined);
  if (!isObject(answer)) return undefined;
  const message = toMessage({ role: 'assistant', ...answer });
  const reason = string(payload.finish_reason);
  return reason === undefined ? message : { ...message, finish_reason: reason };
}
