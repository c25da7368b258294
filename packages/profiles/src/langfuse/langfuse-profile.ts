import { semconv } from '@hermes-observer/otel';
import type { AttributeValue } from '@opentelemetry/api';
import type { MappingRow, Profile } from '../mapping/profile.js';
import { onlyText } from '../source/messages.js';
import type { SourceSpan } from '../source/source-span.js';
import { INPUT_SOURCES, OUTPUT_SOURCES, requestParameters } from '../source/span-content.js';
import type { SpanRole } from '../source/span-role.js';
import { chatAnswer, chatMessages } from './chat-messages.js';
import { completionStart } from './completion-start.js';
import { costDetails, usageDetails } from './usage-details.js';

export interface LangfuseProfileOptions {
  /** @default none: Langfuse takes `deployment.environment.name` of the resource, else `default` */
  readonly environment?: string | undefined;
  /** Release of the application. */
  readonly release?: string | undefined;
  /** Version of the agent, by which Langfuse compares. @default none: it takes `service.version` of the resource */
  readonly version?: string | undefined;
  /** Of every trace. */
  readonly tags?: readonly string[] | undefined;
  /** Who the agent works for. Default: `user.id` of the root, where the application puts it on. */
  readonly userId?: string | undefined;
  /** Of every trace, to filter by. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

const OURS: readonly SpanRole[] = ['agent', 'chat', 'tool', 'approval', 'human_input', 'operation'];
const EVERY: readonly SpanRole[] = [...OURS, 'other'];

const TYPE_OF_ROLE: Readonly<Record<SpanRole, string | undefined>> = {
  agent: 'agent',
  chat: 'generation',
  tool: 'tool',
  approval: 'guardrail',
  human_input: 'span',
  operation: 'chain',
  other: undefined,
};
const TYPE_OF_OPERATION: ReadonlyMap<string, string> = new Map([
  ['embeddings', 'embedding'],
  ['retrieval', 'retriever'],
  ['create_agent', 'agent'],
]);

function observationType(source: SourceSpan): string | undefined {
  const operation = source.text(semconv.ATTR_GEN_AI_OPERATION_NAME) ?? '';
  return source.role === 'operation' ? (TYPE_OF_OPERATION.get(operation) ?? 'chain') : TYPE_OF_ROLE[source.role];
}

const model = (source: SourceSpan) =>
  source.text(semconv.ATTR_GEN_AI_RESPONSE_MODEL) ?? source.text(semconv.ATTR_GEN_AI_REQUEST_MODEL);

function input(source: SourceSpan): string | undefined {
  const { role, inputMessages, systemText } = source;
  if (role === 'agent' && onlyText(inputMessages) !== undefined) return onlyText(inputMessages);
  if (inputMessages === undefined && systemText === undefined) return source.input?.text;
  return chatMessages(systemText, inputMessages ?? []);
}

function output(source: SourceSpan): string | undefined {
  const { role, outputMessages } = source;
  if (role === 'agent' && onlyText(outputMessages) !== undefined) return onlyText(outputMessages);
  return outputMessages === undefined ? source.output?.text : chatAnswer(outputMessages);
}

const ofRoot = (value: (source: SourceSpan) => AttributeValue | undefined) => (source: SourceSpan) =>
  source.isRoot ? value(source) : undefined;

const LEVELS = { error: 'ERROR', warning: 'WARNING' } as const;

function note(name: string): (source: SourceSpan) => string | undefined {
  return (source) => {
    const value = source.notes[name];
    if (value === undefined) return undefined;
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
}

const noteRow = (name: string, on: readonly SpanRole[], from: string): MappingRow => ({
  name: `langfuse.observation.metadata.${name}`,
  type: 'string',
  on,
  from,
  value: note(name),
});

function rowsFor(options: LangfuseProfileOptions): MappingRow[] {
  return [
    {
      name: 'langfuse.observation.type',
      type: 'string',
      on: OURS,
      from: '`agent`, `generation`, `tool`; `guardrail` of approvals, `span` of human input',
      value: observationType,
    },
    {
      name: 'langfuse.observation.model.name',
      type: 'string',
      on: ['chat'],
      from: 'the model that answered, else the one asked',
      value: model,
    },
    {
      name: 'langfuse.observation.usage_details',
      type: 'JSON string',
      on: ['chat'],
      from: '`gen_ai.usage.*`: `input` without cached tokens, `output` without reasoning, and `total`, their sum',
      value: (source) => usageDetails(source.usage),
    },
    {
      name: 'langfuse.observation.cost_details',
      type: 'JSON string',
      on: ['chat'],
      from: '`hermes.cost.*` in US dollars, where their status is not `unknown`',
      value: (source) => costDetails(source.cost),
    },
    {
      name: 'langfuse.observation.level',
      type: 'string',
      on: OURS,
      from: '`ERROR` of failures; `WARNING` of what was blocked, denied, cancelled, interrupted or not ended',
      value: ({ outcome }) => (outcome === undefined ? undefined : LEVELS[outcome.level]),
    },
    {
      name: 'langfuse.observation.status_message',
      type: 'string',
      on: OURS,
      from: 'what happened, by whom and why',
      value: ({ outcome }) => outcome?.message,
    },
    {
      name: 'langfuse.trace.name',
      type: 'string',
      on: ['agent'],
      from: '`gen_ai.agent.name` of the root',
      value: ofRoot((source) => source.text(semconv.ATTR_GEN_AI_AGENT_NAME)),
    },
    {
      name: 'session.id',
      type: 'string',
      on: OURS,
      from: '`gen_ai.conversation.id`, of roots only: a trace has one session, and a child agent has one of its own',
      value: ofRoot((source) => source.text(semconv.ATTR_GEN_AI_CONVERSATION_ID)),
    },
    {
      name: 'langfuse.observation.metadata.session_id',
      type: 'string',
      on: OURS,
      from: '`gen_ai.conversation.id` of all other spans',
      value: note('session_id'),
      moves: [semconv.ATTR_GEN_AI_CONVERSATION_ID],
    },
    {
      name: 'user.id',
      type: 'string',
      on: EVERY,
      from: 'the option `userId`, on roots; as it is where spans have it',
      value: ofRoot(() => options.userId),
    },
    {
      name: 'langfuse.environment',
      type: 'string',
      on: EVERY,
      from: 'the option `environment`',
      value: () => options.environment,
    },
    { name: 'langfuse.release', type: 'string', on: EVERY, from: 'the option `release`', value: () => options.release },
    { name: 'langfuse.version', type: 'string', on: EVERY, from: 'the option `version`', value: () => options.version },
    {
      name: 'langfuse.trace.tags',
      type: 'string[]',
      on: EVERY,
      from: 'the option `tags`, on roots',
      value: ofRoot(() => (options.tags === undefined || options.tags.length === 0 ? undefined : [...options.tags])),
    },
    ...Object.entries(options.metadata ?? {}).map(
      ([name, value]): MappingRow => ({
        name: `langfuse.trace.metadata.${name}`,
        type: 'string',
        on: EVERY,
        from: 'the option `metadata`, on roots',
        value: ofRoot(() => value),
      }),
    ),
    {
      name: 'langfuse.observation.input',
      type: 'string',
      on: OURS,
      from: 'content: messages as chat completions have them, the system prompt first; of a turn its one text; arguments, command, prompt',
      value: input,
      moves: INPUT_SOURCES,
    },
    {
      name: 'langfuse.observation.output',
      type: 'string',
      on: OURS,
      from: 'content: the answer as chat completions have it; result; of an approval the choice, of human input the outcome',
      value: output,
      moves: OUTPUT_SOURCES,
    },
    {
      name: 'langfuse.observation.completion_start_time',
      type: 'string, ISO 8601',
      on: ['chat'],
      from: 'start of the attempt that was answered, and `gen_ai.response.time_to_first_chunk`',
      value: completionStart,
    },
    {
      name: 'langfuse.observation.model.parameters',
      type: 'JSON string',
      on: ['chat'],
      from: '`gen_ai.request.*` but the model',
      value: requestParameters,
    },
    noteRow('turn_outcome', ['agent'], '`hermes.turn.outcome`'),
    noteRow('tool_status', ['tool'], '`hermes.tool.status`'),
    noteRow('blocked_by', ['tool'], '`hermes.tool.blocked_by`'),
    noteRow('approval_choice', ['approval'], '`hermes.approval.choice`'),
    noteRow('decided_by', ['approval'], '`hermes.approval.decided_by`'),
    noteRow('aux_task', ['chat'], '`hermes.aux.task`'),
    noteRow('failed_attempts', ['chat'], 'events `hermes.api.attempt_failed`, which Langfuse does not show, as JSON'),
    noteRow('policy_decisions', ['tool'], 'events `hermes.policy.decision`, which Langfuse does not show, as JSON'),
  ];
}

/**
 * Langfuse, by its own names, so that nothing depends on what it guesses of others. Whatever else spans have Langfuse shows
 * below `metadata.attributes` of the observation. It ignores links and, but for content, events.
 */
export const langfuseProfile = (options: LangfuseProfileOptions = {}): Profile => ({
  name: 'langfuse',
  rows: rowsFor(options),
});
