import { semconv } from '@hermes-observer/otel';
import type { MappingRow, Profile } from '../mapping/profile.js';
import { ATTR_GEN_AI_TOOL_DESCRIPTION } from '../semconv.js';
import { jsonObject } from '../source/messages.js';
import type { SourceSpan } from '../source/source-span.js';
import { INPUT_SOURCES, OUTPUT_SOURCES, requestParameters } from '../source/span-content.js';
import type { SpanRole } from '../source/span-role.js';
import { FlatMessages } from './flat-messages.js';
import { llmProvider, llmSystem } from './providers.js';

const ALL: readonly SpanRole[] = ['agent', 'chat', 'tool', 'approval', 'human_input', 'operation'];
const STATUS_ERROR = 2;

const KIND_OF_ROLE: Readonly<Record<SpanRole, string | undefined>> = {
  agent: 'AGENT',
  chat: 'LLM',
  tool: 'TOOL',
  // It keeps the agent from doing what nobody allowed.
  approval: 'GUARDRAIL',
  human_input: 'CHAIN',
  operation: 'CHAIN',
  other: undefined,
};
const KIND_OF_OPERATION: ReadonlyMap<string, string> = new Map([
  ['embeddings', 'EMBEDDING'],
  ['retrieval', 'RETRIEVER'],
  ['create_agent', 'AGENT'],
]);

function spanKind(source: SourceSpan): string | undefined {
  const operation = source.text(semconv.ATTR_GEN_AI_OPERATION_NAME) ?? '';
  return source.role === 'operation' ? (KIND_OF_OPERATION.get(operation) ?? 'CHAIN') : KIND_OF_ROLE[source.role];
}

const requestModel = (source: SourceSpan) => source.text(semconv.ATTR_GEN_AI_REQUEST_MODEL);
const responseModel = (source: SourceSpan) => source.text(semconv.ATTR_GEN_AI_RESPONSE_MODEL);
const model = (source: SourceSpan) => responseModel(source) ?? requestModel(source);
const provider = (source: SourceSpan) => source.text(semconv.ATTR_GEN_AI_PROVIDER_NAME);

function total(source: SourceSpan): number | undefined {
  const { input, output } = source.usage;
  return input === undefined || output === undefined ? undefined : input + output;
}

function finishReason(source: SourceSpan): string | undefined {
  const reasons = source.get(semconv.ATTR_GEN_AI_RESPONSE_FINISH_REASONS);
  const [first] = Array.isArray(reasons) ? reasons : [];
  return typeof first === 'string' ? first : undefined;
}

function toolParameters(source: SourceSpan): string | undefined {
  const text = source.text(semconv.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS);
  return jsonObject(text) === undefined ? undefined : text;
}

function metadata(source: SourceSpan): string | undefined {
  const { notes } = source;
  return Object.keys(notes).length === 0 ? undefined : JSON.stringify(notes);
}

const ROWS: readonly MappingRow[] = [
  {
    name: 'openinference.span.kind',
    type: 'string',
    on: ALL,
    from: '`AGENT`, `LLM`, `TOOL`; `GUARDRAIL` of approvals, `CHAIN` of human input',
    value: spanKind,
  },
  {
    name: 'session.id',
    type: 'string',
    on: ALL,
    from: '`gen_ai.conversation.id`, of roots only: a trace has one session, and a child agent has one of its own',
    value: (source) => (source.isRoot ? source.text(semconv.ATTR_GEN_AI_CONVERSATION_ID) : undefined),
  },
  {
    name: 'metadata',
    type: 'JSON string',
    on: ALL,
    from: 'notes: statuses, who decided, policy decisions, failed attempts, `session_id` of spans that are no root',
    value: metadata,
    // Phoenix takes the first session that any span of a trace names for that of the trace.
    moves: [semconv.ATTR_GEN_AI_CONVERSATION_ID],
  },
  {
    name: 'llm.model_name',
    type: 'string',
    on: ['chat', 'operation'],
    from: 'the model that answered, else the one asked',
    value: model,
  },
  {
    name: 'llm.request.model_name',
    type: 'string',
    on: ['chat', 'operation'],
    from: '`gen_ai.request.model`',
    value: requestModel,
  },
  {
    name: 'llm.response.model_name',
    type: 'string',
    on: ['chat', 'operation'],
    from: '`gen_ai.response.model`',
    value: responseModel,
  },
  {
    name: 'llm.provider',
    type: 'string',
    on: ['chat', 'operation'],
    from: '`gen_ai.provider.name`, by the name it has there',
    value: (source) => llmProvider(provider(source)),
  },
  {
    name: 'llm.system',
    type: 'string',
    on: ['chat', 'operation'],
    from: 'the family of the model, where provider or name of the model tell it',
    value: (source) => llmSystem(provider(source), model(source)),
  },
  {
    name: 'llm.token_count.prompt',
    type: 'int',
    on: ['chat'],
    from: '`gen_ai.usage.input_tokens`, cached tokens included',
    value: (source) => source.usage.input,
  },
  {
    name: 'llm.token_count.completion',
    type: 'int',
    on: ['chat'],
    from: '`gen_ai.usage.output_tokens`, reasoning included',
    value: (source) => source.usage.output,
  },
  { name: 'llm.token_count.total', type: 'int', on: ['chat'], from: 'the sum of both', value: total },
  {
    name: 'llm.token_count.prompt_details.cache_read',
    type: 'int',
    on: ['chat'],
    from: '`gen_ai.usage.cache_read.input_tokens`',
    value: (source) => source.usage.cacheRead,
  },
  {
    name: 'llm.token_count.prompt_details.cache_write',
    type: 'int',
    on: ['chat'],
    from: '`gen_ai.usage.cache_creation.input_tokens`',
    value: (source) => source.usage.cacheWrite,
  },
  {
    name: 'llm.token_count.completion_details.reasoning',
    type: 'int',
    on: ['chat'],
    from: '`gen_ai.usage.reasoning.output_tokens`',
    value: (source) => source.usage.reasoning,
  },
  {
    name: 'llm.cost.total',
    type: 'double',
    on: ['chat'],
    from: '`hermes.cost.usd`, where its status is not `unknown`',
    value: (source) => source.cost.total,
  },
  {
    name: 'llm.cost.prompt',
    type: 'double',
    on: ['chat'],
    from: '`hermes.cost.input_usd`',
    value: (source) => source.cost.input,
  },
  {
    name: 'llm.cost.completion',
    type: 'double',
    on: ['chat'],
    from: '`hermes.cost.output_usd`',
    value: (source) => source.cost.output,
  },
  {
    name: 'llm.finish_reason',
    type: 'string',
    on: ['chat'],
    from: 'the first of `gen_ai.response.finish_reasons`',
    value: finishReason,
  },
  {
    name: 'llm.invocation_parameters',
    type: 'JSON string',
    on: ['chat', 'operation'],
    from: '`gen_ai.request.*` but the model',
    value: requestParameters,
  },
  {
    name: 'agent.name',
    type: 'string',
    on: ['agent'],
    from: '`gen_ai.agent.name`',
    value: (source) => source.text(semconv.ATTR_GEN_AI_AGENT_NAME),
  },
  {
    name: 'tool.name',
    type: 'string',
    on: ['tool'],
    from: '`gen_ai.tool.name`',
    value: (source) => source.text(semconv.ATTR_GEN_AI_TOOL_NAME),
  },
  {
    name: 'tool.id',
    type: 'string',
    on: ['tool'],
    from: '`gen_ai.tool.call.id`',
    value: (source) => source.text(semconv.ATTR_GEN_AI_TOOL_CALL_ID),
  },
  {
    name: 'tool.description',
    type: 'string',
    on: ['tool'],
    from: '`gen_ai.tool.description`',
    value: (source) => source.text(ATTR_GEN_AI_TOOL_DESCRIPTION),
  },
  {
    name: 'input.value',
    type: 'string',
    on: ALL,
    from: 'content: messages as they are in `gen_ai.input.messages`, of a turn its one text; arguments, command, prompt',
    value: (source) => source.input?.text,
    moves: INPUT_SOURCES,
  },
  {
    name: 'input.mime_type',
    type: 'string',
    on: ALL,
    from: '`application/json` or `text/plain`',
    value: (source) => source.input?.mimeType,
  },
  {
    name: 'output.value',
    type: 'string',
    on: ALL,
    from: 'content: `gen_ai.output.messages`, result; of an approval the choice, of human input the outcome',
    value: (source) => source.output?.text,
    moves: OUTPUT_SOURCES,
  },
  {
    name: 'output.mime_type',
    type: 'string',
    on: ALL,
    from: '`application/json` or `text/plain`',
    value: (source) => source.output?.mimeType,
  },
  {
    name: 'tool.parameters',
    type: 'JSON string',
    on: ['tool'],
    from: 'content: `gen_ai.tool.call.arguments`, where it is an object',
    value: toolParameters,
  },
];

const MESSAGE = 'llm.input_messages.{i}.message.';
const LIST_ROWS = [
  { name: `${MESSAGE}role`, type: 'string', from: 'content: role of each message; the system prompt is the first' },
  { name: `${MESSAGE}content`, type: 'string', from: 'content: the text of a message that is nothing but one text' },
  {
    name: `${MESSAGE}contents.{j}.message_content.type`,
    type: 'string',
    from: 'content: `text`, `reasoning`, `image`',
  },
  {
    name: `${MESSAGE}contents.{j}.message_content.text`,
    type: 'string',
    from: 'content: text of a part; parts of other types as JSON',
  },
  {
    name: `${MESSAGE}contents.{j}.message_content.image.image.url`,
    type: 'string',
    from: 'content: address of an image',
  },
  {
    name: `${MESSAGE}tool_calls.{k}.tool_call.id`,
    type: 'string',
    from: 'content: id of a call that the model asks for',
  },
  { name: `${MESSAGE}tool_calls.{k}.tool_call.function.name`, type: 'string', from: 'content: its tool' },
  {
    name: `${MESSAGE}tool_calls.{k}.tool_call.function.arguments`,
    type: 'JSON string',
    from: 'content: its arguments',
  },
  { name: `${MESSAGE}tool_call_id`, type: 'string', from: 'content: the call that a result answers' },
  { name: 'llm.output_messages.{i}.message.…', type: 'the same', from: 'content: the same of the answer' },
].map((row) => ({ ...row, on: ['chat'] as const }));

export interface OpenInferenceOptions {
  /** Project that Phoenix puts the traces into, as an attribute of the resource. @default none: `default` there */
  readonly project?: string | undefined;
}

/**
 * OpenInference, for Phoenix and Arize. Calls that were blocked, denied or cancelled keep the status UNSET and say so in its
 * message: a rule that worked is no error.
 */
export const openInferenceProfile = ({ project }: OpenInferenceOptions = {}): Profile => ({
  name: 'openinference',
  rows: ROWS,
  list: ({ role, systemText, inputMessages, outputMessages }) =>
    role === 'chat' && (systemText !== undefined || inputMessages !== undefined || outputMessages !== undefined)
      ? new FlatMessages(systemText, inputMessages, outputMessages)
      : undefined,
  listRows: LIST_ROWS,
  status: ({ outcome, span }) =>
    outcome === undefined
      ? undefined
      : { code: outcome.level === 'error' ? STATUS_ERROR : span.status.code, message: outcome.message },
  ...(project === undefined ? {} : { resource: { 'openinference.project.name': project } }),
});
