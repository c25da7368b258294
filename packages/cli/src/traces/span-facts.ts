import { semconv } from '@hermes-observer/otel';
import type { SpanFlags } from '../wire.js';
import type { Facts } from './facts.js';
import { isDecidedByModel, SPAN_KIND, type ViewKind } from './span-kind.js';
import { factsOf, numberOf, type SpanSource, textOf } from './span-source.js';
import { whoWords } from './who-words.js';

/** Bits of a span that go over the wire. `background` is found with the tree, since it depends on the turn. */
export const FLAG: SpanFlags = {
  error: 1,
  blocked: 2,
  cancelled: 4,
  timeout: 8,
  running: 16,
  incomplete: 32,
  retried: 64,
  background: 128,
  clockFault: 256,
};

const STATUS_ERROR = 2;
const MOST_LABEL = 160;

/** The bits that a span has by itself. */
export function flagsOf(source: SpanSource, kind: ViewKind, isRunning: boolean): number {
  const { status } = source;
  const attributes = factsOf(source);
  let flags = isRunning ? FLAG.running : 0;
  if (status.code === STATUS_ERROR) flags |= FLAG.error;
  if (attributes[semconv.ATTR_HERMES_INCOMPLETE] === true) flags |= FLAG.incomplete;
  if (kind === SPAN_KIND.tool) flags |= STATUS_FLAGS[textOf(attributes, semconv.ATTR_HERMES_TOOL_STATUS) ?? ''] ?? 0;
  else if (kind === SPAN_KIND.child) {
    flags |= STATUS_FLAGS[textOf(attributes, semconv.ATTR_HERMES_SUBAGENT_STATUS) ?? ''] ?? 0;
  } else if (kind === SPAN_KIND.request || kind === SPAN_KIND.auxiliary) {
    if ((numberOf(attributes, semconv.ATTR_HERMES_API_ATTEMPTS) ?? 1) > 1) flags |= FLAG.retried;
  } else if (kind === SPAN_KIND.turn && attributes[semconv.ATTR_HERMES_TURN_OUTCOME] === 'interrupted') {
    flags |= FLAG.cancelled;
  }
  return flags;
}

const STATUS_FLAGS: Readonly<Record<string, number>> = {
  blocked: FLAG.blocked,
  cancelled: FLAG.cancelled,
  interrupted: FLAG.cancelled,
  timeout: FLAG.timeout,
};

type Told = Pick<SpanSource, 'attributes' | 'facts' | 'events'>;

/** Who blocked a call, or decided, in the words that page, terminal and text show; `undefined` where nobody is named. */
export function whoOf(source: Told, kind: ViewKind, approval?: Told): string | undefined {
  const who = namedBy(source, kind, approval);
  return who === undefined ? undefined : whoWords(who);
}

function namedBy(source: Told, kind: ViewKind, approval?: Told): string | undefined {
  const attributes = factsOf(source);
  if (kind === SPAN_KIND.tool) {
    const isBlocked = attributes[semconv.ATTR_HERMES_TOOL_STATUS] === 'blocked';
    const denial = isBlocked ? denialOf(source) : undefined;
    if (denial !== undefined) return isByPerson(denial) ? 'a person' : denial.gate;
    const by = textOf(attributes, semconv.ATTR_HERMES_TOOL_BLOCKED_BY);
    if (by !== undefined || !isBlocked || approval === undefined) return by;
    return namedBy(approval, SPAN_KIND.approval);
  }
  if (kind !== SPAN_KIND.approval) return undefined;
  if (textOf(attributes, semconv.ATTR_HERMES_APPROVAL_CHOICE) === undefined) return undefined;
  return (
    textOf(attributes, semconv.ATTR_HERMES_APPROVAL_DECIDED_BY) ??
    (isDecidedByModel(attributes) ? 'a model' : 'a person')
  );
}

/** Why a call was blocked, as far as anything says so; content only where it was captured. */
export function whyBlocked(source: SpanSource, approval?: SpanSource): string | undefined {
  const said = errorIn(textOf(source.attributes, semconv.ATTR_GEN_AI_TOOL_CALL_RESULT));
  if (said !== undefined) return short(said);
  const denial = denialOf(source);
  if (denial !== undefined) {
    if (denial.reason !== undefined) return short(denial.reason);
    // That it was refused is no reason: who captures none is told that there is none.
    return denial.kind === 'denied'
      ? undefined
      : short((Object.hasOwn(DENIED, denial.kind) ? DENIED[denial.kind] : undefined) ?? denial.kind);
  }
  const asked = approval?.attributes ?? {};
  const rule =
    textOf(asked, semconv.ATTR_HERMES_APPROVAL_DESCRIPTION) ?? textOf(asked, semconv.ATTR_HERMES_APPROVAL_PATTERN_KEY);
  if (rule !== undefined) return short(rule);
  return source.status.message === undefined ? undefined : short(source.status.message);
}

interface Denial {
  readonly gate: string;
  readonly kind: string;
  /** Content: only where it was captured. */
  readonly reason: string | undefined;
}

const ATTR_POLICY_REASON = 'hermes.policy.reason';

/** The decision of a policy that blocked a call: a refusal before what could not be decided, and nothing that only observed. */
function denialOf({ events }: Pick<SpanSource, 'events'>): Denial | undefined {
  const denials = events.flatMap(({ name, attributes = {} }): Denial[] => {
    if (name !== semconv.EVENT_HERMES_POLICY_DECISION) return [];
    if (textOf(attributes, semconv.ATTR_HERMES_POLICY_OUTCOME) !== 'deny') return [];
    if (textOf(attributes, semconv.ATTR_HERMES_POLICY_MODE) === 'observe') return [];
    const gate = textOf(attributes, semconv.ATTR_HERMES_POLICY_GATE) ?? 'policy';
    const kind = textOf(attributes, semconv.ATTR_HERMES_POLICY_KIND) ?? 'denied';
    return [{ gate, kind, reason: textOf(attributes, ATTR_POLICY_REASON) }];
  });
  return denials.find(({ kind }) => kind === 'denied') ?? denials[0];
}

const isByPerson = ({ gate, kind }: Denial) => kind === 'denied' && gate.endsWith(':approval');

/** Kinds of blocks in words. */
const DENIED: Readonly<Record<string, string>> = {
  expired: 'nobody answered in time',
  pending: 'nobody has answered yet',
  cancelled: 'the question was called off',
  hook_error: 'it could not decide: it failed',
  hook_timeout: 'it could not decide in time',
  config_error: 'it could not decide: a mistake in its settings',
  already_run: 'the very same call has run already',
  outcome_unknown: 'the very same call was begun before, and nobody knows how it ended',
};

/** The message in a result of a tool, which is JSON with `error` where the agent made it. */
function errorIn(result: string | undefined): string | undefined {
  const [, text] = /"error":\s*("(?:[^"\\]|\\.){1,2000}")/.exec(result?.slice(0, 8_192) ?? '') ?? [];
  if (text === undefined) return undefined;
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A short word beside the name: why it failed, else the model, the tool's question, the answer. */
export function labelOf(source: SpanSource, kind: ViewKind, flags: number, approval?: SpanSource): string | undefined {
  const { status } = source;
  const attributes = factsOf(source);
  if ((flags & FLAG.blocked) !== 0) return whyBlocked(source, approval);
  if ((flags & FLAG.error) !== 0) {
    const type = textOf(attributes, semconv.ATTR_ERROR_TYPE) ?? status.message ?? '';
    const code = numberOf(attributes, semconv.ATTR_HTTP_RESPONSE_STATUS_CODE);
    const text = code === undefined ? type : `${type} ${code}`.trim();
    if (text !== '') return short(text);
  }
  if ((flags & FLAG.incomplete) !== 0) return textOf(attributes, semconv.ATTR_HERMES_INCOMPLETE_REASON);
  return subjectOf(attributes, kind);
}

function subjectOf(attributes: Facts, kind: ViewKind): string | undefined {
  switch (kind) {
    case SPAN_KIND.request:
      return textOf(attributes, semconv.ATTR_GEN_AI_REQUEST_MODEL);
    case SPAN_KIND.auxiliary:
      return textOf(attributes, semconv.ATTR_HERMES_AUX_TASK);
    case SPAN_KIND.approval:
      return (
        textOf(attributes, semconv.ATTR_HERMES_APPROVAL_CHOICE) ??
        textOf(attributes, semconv.ATTR_HERMES_APPROVAL_PATTERN_KEY)
      );
    case SPAN_KIND.human:
      return textOf(attributes, semconv.ATTR_HERMES_HUMAN_INPUT_OUTCOME);
    case SPAN_KIND.child:
      return textOf(attributes, semconv.ATTR_HERMES_SUBAGENT_STATUS);
    case SPAN_KIND.turn:
      return textOf(attributes, semconv.ATTR_HERMES_TURN_OUTCOME);
    default:
      return undefined;
  }
}

export function short(text: string, most = MOST_LABEL): string {
  const line = text
    .slice(0, most * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= most) return line;
  const cut = line.slice(0, most - 1);
  // No half of a pair.
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
