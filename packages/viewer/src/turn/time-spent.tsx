import { PARTS, type Part } from '../api/turn-answer.js';
import { formatShares } from '../format/duration.js';
import { useClock } from '../ui/clock.js';
import { largestSegment } from './largest-segment.js';
import { partsUntil } from './path-growth.js';
import type { TurnModel } from './turn-model.js';

export const PART_WORDS: Readonly<Record<Part, string>> = {
  model: 'Model',
  tools: 'Tools',
  human: 'Waiting for a human',
  children: 'Child agents',
  waiting: 'Queue and back-off',
  agent: 'Agent itself',
};

/** Where the time went: one bar, and numbers that add up to the duration. Each leads to its longest stretch. */
export function TimeSpent({ model, onGoTo }: { model: TurnModel; onGoTo: (span: number) => void }) {
  const isRunning = model.row.duration === null;
  const clock = useClock(isRunning);
  // Tenths of a second are enough for the eye.
  const now = isRunning ? Math.floor(clock.value / 100) * 100 : 0;
  const values = partsUntil(model.path, isRunning, (now - model.baseMillis) * 1e6);
  const { parts, total } = formatShares(values);
  const sum = values.reduce((all, one) => all + one, 0) || 1;
  const longestFirst = PARTS.map((part, index) => ({ part, index })).sort(
    (a, b) => (values[b.index] ?? 0) - (values[a.index] ?? 0),
  );
  const goTo = (index: number) => {
    const segment = largestSegment(model.path, index);
    if (segment !== undefined) onGoTo(segment[0]);
  };
  return (
    <section class="time-spent" aria-labelledby="time-spent">
      <h2 id="time-spent">
        Where the time went{' '}
        <span class="soft">
          {total} {isRunning ? 'so far' : 'in all'}
        </span>
      </h2>
      <div class="time-bar" aria-hidden="true">
        {longestFirst.map(({ part, index }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the buttons below do the same for keys
          // biome-ignore lint/a11y/useKeyWithClickEvents: they do
          <span
            key={part}
            class={`part-${part}`}
            style={{ width: `${((values[index] ?? 0) / sum) * 100}%` }}
            onClick={() => goTo(index)}
          />
        ))}
      </div>
      <ul class="time-parts">
        {longestFirst.map(({ part, index }) => (
          <li key={part}>
            <button
              type="button"
              disabled={values[index] === 0}
              title="Go to its longest stretch"
              onClick={() => goTo(index)}
            >
              <span class={`dot part-${part}`} />
              <span class="time-word">{PART_WORDS[part]}</span>
              <b class="number">{values[index] === 0 ? '0' : parts[index]?.text}</b>
              <span class="soft number">{shownPercent(values[index] ?? 0, parts[index]?.percent ?? 0)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function shownPercent(value: number, percent: number): string {
  if (value === 0) return '';
  return percent === 0 ? '<1 %' : `${percent} %`;
}
