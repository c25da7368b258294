import { FLAG } from '../api/turn-answer.js';
import { useClock } from '../ui/clock.js';
import { pathShape } from './path-shape.js';
import { partName } from './span-state.js';
import { barOf, type TimeScale } from './time-scale.js';
import { endOf, hasFlag, type TurnModel } from './turn-model.js';

/** How a bar is drawn, beside its colour. */
function lookOf(model: TurnModel, span: number): string {
  if (hasFlag(model, span, FLAG.blocked)) return 'is-blocked';
  if (hasFlag(model, span, FLAG.cancelled)) return 'is-cancelled';
  if (hasFlag(model, span, FLAG.timeout | FLAG.error)) return 'is-bad';
  return hasFlag(model, span, FLAG.running) ? 'is-running' : '';
}

/** When a span was: pale as a whole, full where the turn waited for it. */
export function SpanBar({ model, span, scale }: { model: TurnModel; span: number; scale: TimeScale }) {
  const isRunning = hasFlag(model, span, FLAG.running);
  const clock = useClock(isRunning);
  const bar = barOf(scale, model.start[span] ?? 0, endOf(model, span, isRunning ? clock.value : 0));
  const now = isRunning && model.row.duration === null ? (clock.value - model.baseMillis) * 1e6 : -1;
  const shape = pathShape(model, span, scale, now);
  const part = partName(model.kind[span]);
  return (
    <>
      {bar !== undefined && (
        <span
          class={`bar part-${part} ${lookOf(model, span)}`}
          style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
        />
      )}
      {shape !== '' && (
        <svg class={`lit part-${part}`} viewBox="0 0 1000 1" preserveAspectRatio="none" aria-hidden="true">
          <path d={shape} />
        </svg>
      )}
    </>
  );
}
