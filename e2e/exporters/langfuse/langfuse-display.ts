/**
 * What Langfuse shows of OTLP, by the rules of its server (of August 2026): `OtelIngestionProcessor`, `ObservationTypeMapper`,
 * `IngestionService` and the aggregation of its table of events into traces. Written from what they do, for the fields that
 * spans of agents have.
 */
import { inputAndOutput, metadataOf } from './langfuse-content.js';
import { costOf, type Numbers, usageOf } from './langfuse-usage.js';
import { type Attributes, type OtlpSpan, plainAttributes, type ResourceSpans, textOf } from './otlp-attributes.js';

export interface Observation {
  readonly id: string;
  readonly traceId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly type: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly completionStartTime: string | undefined;
  readonly level: string;
  readonly statusMessage: string | undefined;
  readonly model: string | undefined;
  readonly modelParameters: Readonly<Record<string, unknown>>;
  readonly usage: Numbers;
  readonly cost: Numbers;
  readonly input: unknown;
  readonly output: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly environment: string;
  readonly version: string | undefined;
  readonly release: string | undefined;
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
  readonly tags: readonly string[];
  readonly traceName: string | undefined;
}

export interface Trace {
  readonly id: string;
  readonly name: string | undefined;
  /** Langfuse shows the one that came last. */
  readonly sessionIds: ReadonlySet<string>;
  readonly userIds: ReadonlySet<string>;
  readonly environments: ReadonlySet<string>;
  readonly releases: ReadonlySet<string>;
  readonly tags: readonly string[];
  readonly input: unknown;
  readonly output: unknown;
  readonly level: string;
  readonly usage: Numbers;
  readonly cost: Numbers;
  readonly observations: number;
}

const TYPES = 'span generation event embedding agent tool chain retriever guardrail evaluator'.split(' ');
const OPENINFERENCE: Readonly<Record<string, string>> = { LLM: 'generation' };
const OPERATIONS: Readonly<Record<string, string>> = {
  chat: 'generation',
  text_completion: 'generation',
  generate_content: 'generation',
  embeddings: 'embedding',
  invoke_agent: 'agent',
  create_agent: 'agent',
  execute_tool: 'tool',
};
const MODEL_NAMES = [
  'langfuse.observation.model.name',
  'gen_ai.response.model',
  'gen_ai.request.model',
  'llm.response.model',
  'llm.model_name',
];
const LEVELS: Readonly<Record<string, string>> = { WARN: 'WARNING', INFO: 'DEFAULT', TRACE: 'DEBUG', FATAL: 'ERROR' };
const ALL_LEVELS = ['ERROR', 'WARNING', 'DEFAULT', 'DEBUG'];

export function observationsOf(resourceSpans: readonly unknown[]): Observation[] {
  return (resourceSpans as readonly ResourceSpans[]).flatMap(({ resource, scopeSpans }) => {
    const shared = plainAttributes(resource?.attributes);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => observationOf(span, shared)));
  });
}

/** By id: what its observations add up to. */
export function tracesOf(observations: readonly Observation[]): Map<string, Trace> {
  const traces = new Map<string, Trace>();
  for (const id of new Set(observations.map(({ traceId }) => traceId))) {
    const all = observations.filter(({ traceId }) => traceId === id);
    const root = all.find(({ parentId }) => parentId === undefined);
    const some = (value: (observation: Observation) => string | undefined) =>
      new Set(all.map(value).filter((each) => each !== undefined));
    traces.set(id, {
      id,
      name: all.findLast(({ traceName }) => traceName !== undefined)?.traceName ?? root?.name,
      sessionIds: some(({ sessionId }) => sessionId),
      userIds: some(({ userId }) => userId),
      environments: some(({ environment }) => environment),
      releases: some(({ release }) => release),
      tags: all.findLast(({ tags }) => tags.length > 0)?.tags ?? [],
      input: root?.input,
      output: root?.output,
      level: ALL_LEVELS.find((level) => all.some((each) => each.level === level)) ?? 'DEFAULT',
      usage: summed(all.map(({ usage }) => usage)),
      cost: summed(all.map(({ cost }) => cost)),
      observations: all.length,
    });
  }
  return traces;
}

function observationOf(span: OtlpSpan, resource: Attributes): Observation {
  const attributes = plainAttributes(span.attributes);
  // Aggregates on agents would count twice, so nothing of that kind is read there.
  const isAgentOperation = ['invoke_agent', 'agent_step'].includes(String(attributes['gen_ai.operation.name']));
  const model = isAgentOperation ? undefined : firstText(attributes, MODEL_NAMES);
  const startTime = isoTime(span.startTimeUnixNano);
  return {
    id: span.spanId,
    traceId: span.traceId,
    parentId: span.parentSpanId || undefined,
    name: textOf(attributes['gen_ai.tool.name']) ?? span.name,
    type: typeOf(attributes),
    startTime,
    endTime: isoTime(span.endTimeUnixNano),
    completionStartTime: validTime(attributes['langfuse.observation.completion_start_time']),
    level: levelOf(attributes, span),
    statusMessage: textOf(attributes['langfuse.observation.status_message']) ?? (span.status?.message || undefined),
    model,
    modelParameters: parametersOf(attributes),
    usage: isAgentOperation ? {} : usageOf(attributes),
    cost: isAgentOperation ? {} : costOf(attributes),
    ...inputAndOutput(attributes),
    metadata: metadataOf(attributes),
    environment: environmentOf(attributes, resource),
    version: textOf(attributes['langfuse.version']) ?? textOf(resource['service.version']),
    release: textOf(attributes['langfuse.release']) ?? textOf(resource['langfuse.release']),
    sessionId: firstText(attributes, ['langfuse.session.id', 'session.id', 'gen_ai.conversation.id']),
    userId: firstText(attributes, ['langfuse.user.id', 'user.id']),
    tags: tagsOf(attributes),
    traceName: textOf(attributes['langfuse.trace.name']),
  };
}

function typeOf(attributes: Attributes): string {
  const own = String(attributes['langfuse.observation.type']);
  if (TYPES.includes(own)) return own;
  const kind = String(attributes['openinference.span.kind'] ?? '');
  const byKind = OPENINFERENCE[kind] ?? kind.toLowerCase();
  if (TYPES.includes(byKind)) return byKind;
  const byOperation = OPERATIONS[String(attributes['gen_ai.operation.name'])];
  if (byOperation !== undefined) return byOperation;
  if (textOf(attributes['gen_ai.tool.name']) !== undefined) return 'tool';
  return firstText(attributes, MODEL_NAMES) === undefined ? 'span' : 'generation';
}

function levelOf(attributes: Attributes, { status }: OtlpSpan): string {
  const given = String(attributes['langfuse.observation.level'] ?? '').toUpperCase();
  const level = LEVELS[given] ?? given;
  if (ALL_LEVELS.includes(level)) return level;
  return status?.code === 2 ? 'ERROR' : 'DEFAULT';
}

function parametersOf(attributes: Attributes): Record<string, unknown> {
  const own = attributes['langfuse.observation.model.parameters'];
  if (typeof own === 'string') return JSON.parse(own) as Record<string, unknown>;
  const PREFIX = 'gen_ai.request.';
  const found = Object.entries(attributes).filter(([name]) => name.startsWith(PREFIX) && name !== `${PREFIX}model`);
  return Object.fromEntries(found.map(([name, value]) => [name.slice(PREFIX.length), value]));
}

function environmentOf(attributes: Attributes, resource: Attributes): string {
  const names = ['langfuse.environment', 'deployment.environment.name', 'deployment.environment'];
  const given = names
    .map((name) => textOf(attributes[name]) ?? textOf(resource[name]))
    .find((name) => name !== undefined);
  const name = (given ?? '')
    .toLowerCase()
    .replace(/^(?:langfuse[-_]?)+/, '')
    .slice(0, 40);
  return /^[a-z0-9-_]+$/.test(name) ? name : 'default';
}

function tagsOf(attributes: Attributes): string[] {
  const tags = attributes['langfuse.trace.tags'] ?? attributes['langfuse.tags'] ?? attributes['tag.tags'];
  if (Array.isArray(tags)) return tags.map(String);
  return typeof tags === 'string' ? tags.split(',').map((tag) => tag.trim()) : [];
}

function firstText(attributes: Attributes, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = textOf(attributes[name]);
    if (text !== undefined) return text;
  }
  return undefined;
}

const isoTime = (nanos: string) => new Date(Number(BigInt(nanos) / 1_000_000n)).toISOString();

const validTime = (value: unknown) =>
  typeof value === 'string' && !Number.isNaN(new Date(value).getTime()) ? value : undefined;

function summed(all: readonly Numbers[]): Numbers {
  const sum: Record<string, number> = {};
  for (const each of all) {
    for (const [name, value] of Object.entries(each)) sum[name] = (sum[name] ?? 0) + value;
  }
  return sum;
}
