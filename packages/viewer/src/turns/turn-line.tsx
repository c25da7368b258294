import type { TurnRow } from '../api/turn-row.js';
import { counted, formatAmount } from '../format/amount.js';
import { costText } from '../format/cost.js';
import { formatDuration } from '../format/duration.js';
import { formatMoment, formatWholeMoment, millisOf } from '../format/moment.js';
import { turnTitle } from '../format/turn-title.js';
import { visibleLine } from '../format/visible-text.js';
import { turnPath } from '../route/route.js';
import { useClock } from '../ui/clock.js';
import { memo } from '../ui/memo.js';
import { OutcomeBadge } from '../ui/outcome-badge.js';
import { WaitingLine } from '../ui/waiting-line.js';
import { BlockedLine } from './blocked-line.js';

export interface TurnLineProps {
  readonly row: TurnRow;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly isActive: boolean;
  /** Changes once a day, so that yesterday's turns get their date. */
  readonly today: number;
}

/** One turn of the list. */
export const TurnLine = memo(function TurnLine({ row, index, top, height, isActive, today }: TurnLineProps) {
  const title = turnTitle(row);
  // Where nothing was captured, the session tells one turn from another.
  const session = row.excerpt === null && row.session !== null ? `session ${row.session}` : null;
  const model = row.model === 'none' ? null : row.model;
  const about = [row.agent, model, row.service, session].filter(
    (word) => word !== null && word !== '' && word !== title,
  );
  return (
    <div
      role="row"
      id={`turn-${index}`}
      aria-rowindex={index + 2}
      class={`turn-line ${row.duration === null ? 'is-live' : ''}`}
      data-active={isActive}
      data-index={index}
      style={{ transform: `translateY(${top}px)`, height: `${height}px` }}
    >
      <div class="turn-cells">
        <span role="gridcell" class="cell-outcome">
          <OutcomeBadge outcome={row.outcome} waitsForHuman={row.waitsForHuman} />
        </span>
        <span role="gridcell" class="cell-title">
          <a href={turnPath(row.trace)} tabIndex={-1} class="turn-title" dir="auto">
            {title}
          </a>
          <span class="turn-about">{about.map((word) => visibleLine(String(word), 60)).join(' · ')}</span>
        </span>
        <span role="gridcell" class="cell-start" title={formatWholeMoment(row.start)}>
          {formatMoment(row.start, today)}
        </span>
        <span role="gridcell" class="cell-took number">
          <Took row={row} />
        </span>
        <span role="gridcell" class="cell-tokens number">
          <Tokens row={row} />
        </span>
        <Count value={row.tools} noun="tool" class="cell-tools" />
        <Count value={row.errors} noun="error" class="cell-errors" tone="bad" />
        <Count value={row.blocked} noun="blocked" plural="blocked" class="cell-blocked" tone="blocked" />
        <Count value={row.children} noun="child" plural="children" class="cell-children" />
      </div>
      {row.waitingCalls.length > 0 && (
        <div role="gridcell" class="blocked-lines">
          {row.waitingCalls.map((call) => (
            <WaitingLine key={call.span} call={call} trace={row.trace} />
          ))}
        </div>
      )}
      {row.blockedCalls.length > 0 && (
        <div role="gridcell" class="blocked-lines">
          {row.blockedCalls.map((call) => (
            <BlockedLine key={call.span} call={call} trace={row.trace} />
          ))}
          {row.blocked > row.blockedCalls.length && (
            <span class="soft blocked-more">and {row.blocked - row.blockedCalls.length} more</span>
          )}
        </div>
      )}
    </div>
  );
});

/** A live turn's duration runs. */
function Took({ row }: { row: TurnRow }) {
  const clock = useClock(row.duration === null);
  if (row.duration !== null) return <>{formatDuration(row.duration)}</>;
  const nanos = Math.max(0, clock.value - millisOf(row.start)) * 1e6;
  // Tenths are enough for the eye, and spare most of the drawing.
  return <>{formatDuration(Math.floor(nanos / 1e8) * 1e8)}</>;
}

function Tokens({ row: { tokens, cost } }: { row: TurnRow }) {
  if (tokens.input === null && tokens.output === null)
    return (
      <span class="soft" title="No request told of tokens">
        –
      </span>
    );
  const [input, cached, output] = [tokens.input, tokens.cached, tokens.output].map(formatAmount);
  return (
    <span
      title={`${tokens.input ?? 'unknown'} tokens in, ${tokens.cached ?? 'unknown'} of them cached, ${tokens.output ?? 'unknown'} out${cost === null ? '' : `; ${costText(cost)}`}`}
    >
      {input}
      <span class="soft"> / {cached} / </span>
      {output}
      <span class="only-narrow"> tokens</span>
    </span>
  );
}

function Count(props: { value: number; noun: string; plural?: string; class: string; tone?: string }) {
  const { value, noun, plural, tone } = props;
  const [, word] = counted(value, noun, plural).split(' ');
  return (
    <span
      role="gridcell"
      class={`number count ${props.class} ${value === 0 ? 'is-zero' : `tone-text-${tone ?? 'plain'}`}`}
    >
      {formatAmount(value)}
      <span class="only-narrow"> {word}</span>
    </span>
  );
}
