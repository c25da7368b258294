import { useState } from 'preact/hooks';
import { cutText, visibleText } from '../format/visible-text.js';

/** Longer texts are folded to this much. */
const SHORT = 900;
const SHORT_LINES = 14;
/** What is shown at once of what is unfolded: a browser lays out so much without a stop. */
const STEP = 60_000;

/** How much of a text stands there before it is unfolded, in UTF-16 units. */
export function foldedLength(text: string): number {
  let line = -1;
  for (let count = 0; count < SHORT_LINES; count++) {
    line = text.indexOf('\n', line + 1);
    if (line === -1 || line > SHORT) break;
  }
  const most = line === -1 || line > SHORT ? SHORT : line;
  // A fold that hides only a few words is in the way.
  return text.length <= most * 1.25 ? text.length : most;
}

/** Captured text, as text: folded when long, with what is hidden in it shown. */
export function FoldedText({ text, class: more = '' }: { text: string; class?: string }) {
  const folded = foldedLength(text);
  const [length, setLength] = useState(folded);
  const isWhole = length >= text.length;
  return (
    <div class={`folded ${more}`} dir="auto">
      <pre>
        {visibleText(isWhole ? text : cutText(text, length))}
        {isWhole ? '' : '…'}
      </pre>
      {folded < text.length && (
        <button
          type="button"
          class="quiet"
          onClick={() => setLength(isWhole ? folded : length < STEP ? STEP : length + STEP * 4)}
        >
          {isWhole ? 'Show less' : `Show more (${(text.length - length).toLocaleString('en')} characters)`}
        </button>
      )}
    </div>
  );
}
