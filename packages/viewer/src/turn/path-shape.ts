import type { TimeScale } from './time-scale.js';
import type { TurnModel } from './turn-model.js';

/** Units of the width. */
export const SHAPE_WIDTH = 1000;
/** Stretches nearer than this are drawn as one, so that no row has more of them than can be told apart. */
const NEAR = 1.2;

/**
 * The stretches of a span on the critical path, as the path of an SVG of 1000 by 1; empty for none.
 * @param now ns from the base, where the turn runs: its last stretch goes up to there
 */
export function pathShape(model: TurnModel, span: number, { from, to }: TimeScale, now = -1): string {
  const { pathOf, path } = model;
  const unit = SHAPE_WIDTH / (to - from || 1);
  let shape = '';
  let left = Number.NaN;
  let right = Number.NaN;
  const draw = () => {
    const width = Math.max(right - left, NEAR);
    if (!Number.isNaN(left)) shape += `M${left.toFixed(1)} 0h${width.toFixed(1)}v1h${(-width).toFixed(1)}z`;
  };
  for (let at = pathOf.from[span] ?? 0; at < (pathOf.from[span + 1] ?? 0); at++) {
    const index = pathOf.segments[at] ?? 0;
    const segment = path.segments[index];
    if (segment === undefined) continue;
    const until = index === path.segments.length - 1 ? Math.max(segment[2], now) : segment[2];
    if (until < from || segment[1] > to) continue;
    const start = (Math.max(segment[1], from) - from) * unit;
    const end = (Math.min(until, to) - from) * unit;
    if (start - right <= NEAR) {
      right = Math.max(right, end);
      continue;
    }
    draw();
    left = start;
    right = end;
  }
  draw();
  return shape;
}
