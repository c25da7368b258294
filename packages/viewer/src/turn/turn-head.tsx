import type { TurnRow } from '../api/turn-row.js';
import { counted, formatAmount } from '../format/amount.js';
import { costText } from '../format/cost.js';
import { formatDuration } from '../format/duration.js';
import { formatMoment, formatWholeMoment, millisOf } from '../format/moment.js';
import { turnTitle } from '../format/turn-title.js';
import { visibleLine } from '../format/visible-text.js';
import { turnPath } from '../route/route.js';
import { BlockedReason } from '../ui/blocked-reason.js';
import { useClock } from '../ui/clock.js';
import { Icon } from '../ui/icon.js';
import { OutcomeBadge } from '../ui/outcome-badge.js';
import { WaitingLine } from '../ui/waiting-line.js';
import { TurnActions } from './turn-actions.js';
import type { TurnModel } from './turn-model.js';

const RELATIONS: Readonly<Record<string, string>> = {
  previous_turn: 'Previous turn',
  next_turn: 'Next turn',
  session_turn: 'Turn it belongs to',
  parent_session: 'Parent agent',
  background_work: 'Background work',
  child_session: 'Child agent',
  caller: 'Caller',
};

/** What a turn was, in one look. */
export function TurnHead({ model, onGoTo }: { model: TurnModel; onGoTo: (span: number) => void }) {
  const { row } = model;
  const title = turnTitle(row);
  return (
    <header class="turn-head">
      <div class="turn-title-line">
        <a class="button back" href="/" aria-label="All turns">
          <Icon name="back" />
        </a>
        <h1 dir="auto">{title}</h1>
        <TurnActions row={row} />
      </div>
      <div class="facts">
        <OutcomeBadge outcome={row.outcome} waitsForHuman={row.waitsForHuman} />
        <Took row={row} />
        <time title={formatWholeMoment(row.start)}>{formatMoment(row.start, Date.now())}</time>
        <Fact text={row.agent} />
        {row.model !== 'none' && <Fact text={row.model} />}
        <Fact text={row.service} />
        {/* An agent without a model has neither. */}
        {row.requests > 0 && (
          <>
            <Tokens row={row} />
            {row.cost !== null && <span>{costText(row.cost)}</span>}
            <span>{counted(row.requests, 'request')}</span>
          </>
        )}
        <span>{counted(row.tools, 'tool')}</span>
        {row.children > 0 && <span>{counted(row.children, 'child', 'children')}</span>}
        {row.errors > 0 && <span class="tone-text-bad">{counted(row.errors, 'error')}</span>}
        {row.cancelled > 0 && <span>{row.cancelled} cancelled</span>}
        {model.incomplete.length > 0 && (
          <span class="tone-text-warn">
            incomplete: {model.incomplete.map((one) => visibleLine(one, 60).replaceAll('_', ' ')).join(', ')}
          </span>
        )}
        {model.links.map(({ relation, trace, span }) => (
          <a key={trace + span + relation} href={turnPath(trace)}>
            {RELATIONS[relation] ?? visibleLine(relation, 40).replaceAll('_', ' ')}
          </a>
        ))}
      </div>
      {row.waitingCalls.length > 0 && (
        <ul class="blocked-lines in-head">
          {row.waitingCalls.map((call) => (
            <li key={call.span}>
              <WaitingLine call={call} trace={row.trace} isTabStop />
            </li>
          ))}
        </ul>
      )}
      {row.blockedCalls.length > 0 && (
        <ul class="blocked-lines in-head">
          {row.blockedCalls.map((call) => (
            <li key={call.span}>
              <button type="button" class="blocked-line" onClick={() => onGoTo(model.id.indexOf(call.span))}>
                <Icon name="blocked" />
                <span class="blocked-what">
                  <b>{visibleLine(call.name, 80)}</b> blocked{' '}
                  {call.by !== null && (
                    <>
                      by <b>{visibleLine(call.by, 80)}</b>
                    </>
                  )}
                </span>
                <BlockedReason why={call.why} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </header>
  );
}

const Fact = ({ text }: { text: string | null }) =>
  text === null || text === '' ? null : <bdi class="fact">{visibleLine(text, 60)}</bdi>;

function Took({ row }: { row: TurnRow }) {
  const clock = useClock(row.duration === null);
  if (row.duration !== null) return <b class="number">{formatDuration(row.duration)}</b>;
  const nanos = Math.max(0, clock.value - millisOf(row.start)) * 1e6;
  return <b class="number running-time">{formatDuration(Math.floor(nanos / 1e8) * 1e8)}</b>;
}

function Tokens({ row: { tokens } }: { row: TurnRow }) {
  if (tokens.input === null && tokens.output === null) return <span class="soft">tokens unknown</span>;
  return (
    <span>
      {formatAmount(tokens.input)} tokens in
      {tokens.cached !== null && tokens.cached > 0 && ` (${formatAmount(tokens.cached)} cached)`},{' '}
      {formatAmount(tokens.output)} out
    </span>
  );
}
