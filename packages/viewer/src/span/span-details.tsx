import { approvalPath } from '../api/approvals.js';
import type { SpanAnswer, SpanEvent, SpanLink } from '../api/span-answer.js';
import { formatDuration } from '../format/duration.js';
import { formatWholeMoment } from '../format/moment.js';
import { visibleLine } from '../format/visible-text.js';
import { turnPath } from '../route/route.js';
import { Badge } from '../ui/badge.js';
import { BlockedReason } from '../ui/blocked-reason.js';
import { FoldedText } from '../ui/folded-text.js';
import { JsonTree } from '../ui/json-tree.js';
import { AttributeList } from './attribute-list.js';
import { ConversationView } from './conversation-view.js';
import { detailState } from './detail-state.js';
import { jsonIn } from './message-parts.js';
import { approvalWords, policyWords } from './policy-words.js';

const INPUT = 'gen_ai.input.messages';
const OUTPUT = 'gen_ai.output.messages';
const SYSTEM = 'gen_ai.system_instructions';
const ARGUMENTS = 'gen_ai.tool.call.arguments';
const RESULT = 'gen_ai.tool.call.result';
/** Shown as what they are, above the list. */
const CONTENT: ReadonlySet<string> = new Set([INPUT, OUTPUT, SYSTEM, ARGUMENTS, RESULT]);

export interface SpanDetailsProps {
  readonly answer: SpanAnswer;
  readonly trace: string;
  readonly title: string;
  readonly onGoTo: (span: string) => void;
  /** Asks for texts of any length. */
  readonly onWhole: () => void;
}

export function SpanDetails({ answer, trace, title, onGoTo, onWhole }: SpanDetailsProps) {
  const { attributes, by, why, events, links, resource, status, records = [] } = answer;
  const state = detailState(answer);
  const decided = approvalWords(attributes);
  const request = attributes['hermes.approval.request_id'];
  const answerAt = answer.end === null && typeof request === 'string' ? approvalPath(request) : undefined;
  return (
    <>
      <h1 dir="auto">{title || 'Span without a name'}</h1>
      <div class="facts">
        {state !== undefined && (
          <Badge tone={state.tone} icon={state.icon}>
            {state.word}
          </Badge>
        )}
        {state?.word === 'blocked' && by !== null && (
          <span>
            by <b>{visibleLine(by, 80)}</b>
          </span>
        )}
        <b class="number">{tookOf(answer)}</b>
        {answer.start !== null && <time>{formatWholeMoment(answer.start)}</time>}
      </div>
      {state?.word === 'blocked' && (
        <p class="panel-why">
          <BlockedReason why={why} />
        </p>
      )}
      {decided !== undefined && <p>{decided}</p>}
      {answerAt !== undefined && (
        <p class="panel-why">
          <a class="waiting-answer" href={answerAt}>
            Answer
          </a>
        </p>
      )}
      {answer.truncated === true && (
        <p class="cut">
          Long texts were cut.
          <button type="button" class="quiet" onClick={onWhole}>
            Load all of it
          </button>
        </p>
      )}
      {status.message && <FoldedText text={status.message} class={status.code === 2 ? 'message-bad' : ''} />}
      <ConversationView input={attributes[INPUT]} output={attributes[OUTPUT]} system={attributes[SYSTEM]} />
      <Content title="Arguments" value={attributes[ARGUMENTS]} />
      <Content title="Result" value={attributes[RESULT]} />
      {events.length > 0 && (
        <section>
          <h2>Events</h2>
          <ol class="events">
            {events.map((event, index) => (
              <EventView key={index} event={event} start={answer.start} />
            ))}
          </ol>
        </section>
      )}
      <section>
        <h2>Attributes</h2>
        <AttributeList attributes={attributes} without={CONTENT} />
      </section>
      {links.length > 0 && (
        <section>
          <h2>Links</h2>
          <ul class="links">
            {links.map((link, index) => (
              <LinkView key={index} link={link} trace={trace} onGoTo={onGoTo} />
            ))}
          </ul>
        </section>
      )}
      <details class="more">
        <summary>Ids and resource</summary>
        <AttributeList
          attributes={{
            trace_id: trace,
            span_id: answer.id,
            parent_span_id: answer.parent ?? 'none',
            ...resource,
            scope: answer.scope,
          }}
        />
      </details>
      {records.length > 0 && (
        <details class="more">
          <summary>Records it came from ({records.length})</summary>
          <ol class="records">
            {records.map((record, index) => (
              <li key={index}>
                <JsonTree value={jsonIn(record)} open={false} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

function tookOf({ start, end }: SpanAnswer): string {
  if (end === null) return 'running';
  if (start === null) return 'start not told';
  return formatDuration(Number(BigInt(end) - BigInt(start)));
}

function Content({ title, value }: { title: string; value: unknown }) {
  if (value === undefined || value === '') return null;
  return (
    <section>
      <h2>{title}</h2>
      <JsonTree value={jsonIn(value)} />
    </section>
  );
}

/** The sign is always there: an event may be told to be before the start. */
const shownOffset = (nanos: number) => `${nanos < 0 ? '' : '+'}${formatDuration(nanos)}`;

function EventView({ event, start }: { event: SpanEvent; start: string | null }) {
  const words = policyWords(event.name, event.attributes);
  return (
    <li>
      <div class="event-head">
        <b>{words ?? visibleLine(event.name, 120)}</b>
        {start !== null && <span class="soft number">{shownOffset(Number(BigInt(event.time) - BigInt(start)))}</span>}
      </div>
      {words === undefined ? (
        <AttributeList attributes={event.attributes} />
      ) : (
        <details class="more">
          <summary>{visibleLine(event.name, 120)}</summary>
          <AttributeList attributes={event.attributes} />
        </details>
      )}
    </li>
  );
}

function LinkView({ link, trace, onGoTo }: { link: SpanLink; trace: string; onGoTo: (span: string) => void }) {
  const relation = link.attributes?.['hermes.link'];
  const word = typeof relation === 'string' ? visibleLine(relation, 60).replaceAll('_', ' ') : 'linked span';
  if (link.trace === trace) {
    return (
      <li>
        <button type="button" class="quiet" onClick={() => onGoTo(link.span)}>
          {word}
        </button>
      </li>
    );
  }
  return (
    <li>
      <a href={turnPath(link.trace)}>{word}</a> <code class="soft">{visibleLine(link.trace, 32)}</code>
    </li>
  );
}
