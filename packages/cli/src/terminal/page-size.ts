import type { Size } from './state.js';

/** Lines above and below what scrolls. */
export const LIST_FRAME = { above: 2, below: 3 } as const;
export const TURN_FRAME = { above: 5, below: 2 } as const;
export const SPAN_FRAME = { above: 2, below: 1 } as const;

const page = ({ rows }: Size, { above, below }: { readonly above: number; readonly below: number }) =>
  Math.max(1, rows - above - below);

/** Turns on the screen. */
export const listPage = (size: Size) => page(size, LIST_FRAME);
/** Spans on the screen. */
export const turnPage = (size: Size) => page(size, TURN_FRAME);
/** Lines of a span on the screen. */
export const spanPage = (size: Size) => page(size, SPAN_FRAME);
