import { type ReadonlySignal, signal } from '@preact/signals';

function matching(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener('change', () => {
    matches.value = list.matches;
  });
  return matches;
}

/** Rows take more lines. The same width stands in the style sheets. */
export const isNarrow = matching('(max-width: 819px)');
export const wantsLittleMotion = matching('(prefers-reduced-motion: reduce)');
