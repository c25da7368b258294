/** Rows from `first` up to, not including, `end`. */
export interface RowWindow {
  readonly first: number;
  readonly end: number;
}

/** Rows of all the same or of different heights, one below the other. */
export interface RowHeights {
  readonly count: number;
  /** Upper edge of a row, px; of row `count`, the height of all. */
  top(row: number): number;
  /** The row at a height, px. */
  at(height: number): number;
}

export function evenRows(count: number, height: number): RowHeights {
  return {
    count,
    top: (row) => row * height,
    at: (y) => clamp(Math.floor(y / height), count),
  };
}

export function unevenRows(heights: readonly number[]): RowHeights {
  const tops = new Float64Array(heights.length + 1);
  for (let row = 0; row < heights.length; row++) tops[row + 1] = (tops[row] ?? 0) + (heights[row] ?? 0);
  const top = (row: number) => tops[row] ?? 0;
  return {
    count: heights.length,
    top,
    at(y) {
      let low = 0;
      let high = heights.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (top(middle) <= y) low = middle;
        else high = middle - 1;
      }
      return clamp(low, heights.length);
    },
  };
}

const clamp = (row: number, count: number) => Math.max(0, Math.min(row, count - 1));

/** Rows drawn beyond what is seen, on each side. */
const BEYOND = 6;

/** Which rows to draw for what is seen, px. */
export function windowOf(rows: RowHeights, scrollTop: number, height: number): RowWindow {
  if (rows.count === 0) return { first: 0, end: 0 };
  return {
    first: Math.max(0, rows.at(scrollTop) - BEYOND),
    end: Math.min(rows.count, rows.at(scrollTop + height) + 1 + BEYOND),
  };
}

/** Where to scroll so that a row is seen whole: nowhere if it is; in the middle if it is far. */
export function scrollTopFor(rows: RowHeights, row: number, scrollTop: number, height: number): number {
  const top = rows.top(row);
  const bottom = rows.top(row + 1);
  if (top >= scrollTop && bottom <= scrollTop + height) return scrollTop;
  const isNear = top > scrollTop - height && bottom < scrollTop + height * 2;
  if (!isNear) return Math.max(0, (top + bottom - height) / 2);
  return Math.max(0, top < scrollTop ? top : bottom - height);
}
