import { approvalPath } from '../api/approvals.js';
import { FLAG } from '../api/turn-answer.js';
import { formatDuration } from '../format/duration.js';
import { visibleLine } from '../format/visible-text.js';
import { Badge } from '../ui/badge.js';
import { useClock } from '../ui/clock.js';
import { Icon } from '../ui/icon.js';
import { memo } from '../ui/memo.js';
import { hasChildren } from './fold.js';
import { SpanBar } from './span-bar.js';
import { kindIcon, kindWord, partName, statesOf } from './span-state.js';
import type { TimeScale } from './time-scale.js';
import { endOf, hasFlag, shortName, type TurnModel, textAt } from './turn-model.js';

export interface SpanRowProps {
  readonly model: TurnModel;
  readonly span: number;
  readonly row: number;
  readonly top: number;
  readonly scale: TimeScale;
  readonly isFolded: boolean;
  readonly isActive: boolean;
  /** Its details are open. */
  readonly isOpen: boolean;
}

/** One span of the tree: what it is, how it stands, how long it took, and when. */
export const SpanRow = memo(function SpanRow(props: SpanRowProps) {
  const { model, span, row, top, scale, isFolded, isActive, isOpen } = props;
  const { tree, kind } = model;
  const isParent = hasChildren(tree, span);
  const depth = tree.depth[span] ?? 0;
  const below = (tree.endPlace[span] ?? 0) - (tree.placeOf[span] ?? 0) - 1;
  const states = statesOf(model, span);
  const who = textAt(model, model.who[span]);
  const name = shortName(model, span);
  const label = labelOf(model, span, name);
  const waits = model.row.waitingCalls.find((call) => call.span === model.id[span]);
  const answerAt = waits === undefined ? undefined : approvalPath(waits.request);
  return (
    <div
      role="row"
      id={`span-${row}`}
      aria-rowindex={row + 2}
      aria-level={depth + 1}
      aria-expanded={isParent ? !isFolded : undefined}
      aria-selected={isOpen}
      class="span-row"
      data-active={isActive}
      data-span={span}
      style={{ transform: `translateY(${top}px)`, '--depth': Math.min(depth, 14) }}
    >
      <span role="gridcell" class="span-name">
        <span class="toggle" data-toggle={isParent} data-open={isParent && !isFolded}>
          {isParent && <Icon name="right" />}
        </span>
        <span class={`kind part-text-${partName(kind[span])}`} title={kindWord(kind[span])}>
          <Icon name={kindIcon(kind[span])} />
          <span class="hidden">{kindWord(kind[span])} </span>
        </span>
        <bdi class="name">{visibleLine(name, 120) || kindWord(kind[span])}</bdi>
        {states.map(({ tone, icon, word }) => (
          <Badge key={word} tone={tone} icon={icon}>
            {word}
          </Badge>
        ))}
        {answerAt !== undefined && (
          <a class="waiting-answer" href={answerAt} tabIndex={-1}>
            Answer
          </a>
        )}
        {isFolded && <span class="soft">+{below.toLocaleString('en')}</span>}
        {(who !== '' || label !== '') && (
          <span class="beside">
            {who !== '' && <span class="who">by {visibleLine(who, 80)}</span>}
            {label !== '' && <bdi class="label">{visibleLine(label, 160)}</bdi>}
          </span>
        )}
      </span>
      <span role="gridcell" class="span-took number">
        <Took model={model} span={span} />
      </span>
      <span role="gridcell" class="span-time">
        <SpanBar model={model} span={span} scale={scale} />
      </span>
    </div>
  );
});

/** What else there is to say; not what the name or the badges say. */
function labelOf(model: TurnModel, span: number, name: string): string {
  const label = textAt(model, model.label[span]);
  return label === name || label === 'completed' ? '' : label;
}

function Took({ model, span }: { model: TurnModel; span: number }) {
  const isRunning = hasFlag(model, span, FLAG.running);
  const clock = useClock(isRunning);
  const took = endOf(model, span, isRunning ? clock.value : 0) - (model.start[span] ?? 0);
  return <>{formatDuration(isRunning ? Math.floor(took / 1e8) * 1e8 : took)}</>;
}
