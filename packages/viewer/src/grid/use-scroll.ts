import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type RowHeights, type RowWindow, scrollTopFor, windowOf } from './window.js';

export interface GridScroll {
  /** Goes to the element that scrolls. */
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly window: RowWindow;
  /** Height that rows have room in, px. */
  readonly height: number;
  readonly onScroll: () => void;
  /** Scrolls as little as needed for a row to be seen. */
  readonly reveal: (row: number) => void;
}

/** Keeps which rows are drawn. @param head height of what stands above the rows and stays, px */
export function useScroll(rows: RowHeights, head: number): GridScroll {
  const ref = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(innerHeight);
  const [seen, setSeen] = useState(() => windowOf(rows, 0, innerHeight));
  const look = () => {
    const element = ref.current;
    if (element === null) return;
    const next = windowOf(rows, element.scrollTop, element.clientHeight - head);
    setSeen((before) => (before.first === next.first && before.end === next.end ? before : next));
  };
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      setHeight(element.clientHeight - head);
      look();
    });
    observer.observe(element);
    look();
    return () => observer.disconnect();
  }, [rows, head]);
  const reveal = (row: number) => {
    const element = ref.current;
    if (element === null) return;
    element.scrollTop = scrollTopFor(rows, row, element.scrollTop, element.clientHeight - head);
    look();
  };
  // Rows may have become fewer since the last look.
  const end = Math.min(seen.end, rows.count);
  return { ref, window: { first: Math.min(seen.first, end), end }, height, onScroll: look, reveal };
}
