import type { Count, HealthAnswer } from '../api/health-answer.js';
import { formatBytes } from '../format/amount.js';
import { visibleLine } from '../format/visible-text.js';

/** Counts of the service: what was given up first, then what is not 0; the rest is folded. */
export function CountTables({ answer }: { answer: HealthAnswer }) {
  const counts = answer.counts ?? [];
  const drops = counts.filter(({ name, value }) => name === 'lifetime_drops' && value > 0);
  const others = counts.filter(({ name }) => name !== 'lifetime_drops');
  const zeros = others.filter(({ value }) => value === 0);
  return (
    <>
      {answer.files !== true && (
        <section>
          <h2>Given up since the data folder was made</h2>
          {drops.length === 0 ? (
            <p class="soft">Nothing.</p>
          ) : (
            <ul class="drops">
              {drops.map((drop) => (
                <li key={JSON.stringify(drop.labels)} class="tone-text-warn">
                  <b class="number">{drop.value.toLocaleString('en')}</b> {dropWords(drop)}
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
      <div class="count-columns">
        <Numbers title="Viewer" values={answer.store} />
        <Numbers title="Receiver" values={answer.receiver} />
        {others.length > 0 && (
          <section>
            <h2>Counts</h2>
            <dl class="numbers">
              {others
                .filter(({ value }) => value !== 0)
                .map((count) => (
                  <CountLine key={keyOf(count)} count={count} />
                ))}
            </dl>
            {zeros.length > 0 && (
              <details class="more">
                <summary>{zeros.length} more that are 0</summary>
                <dl class="numbers">
                  {zeros.map((count) => (
                    <CountLine key={keyOf(count)} count={count} />
                  ))}
                </dl>
              </details>
            )}
          </section>
        )}
      </div>
    </>
  );
}

const keyOf = ({ name, labels }: Count) => name + JSON.stringify(labels ?? null);

function CountLine({ count }: { count: Count }) {
  return (
    <div title={visibleLine(count.help, 200)}>
      <dt>{countWords(count)}</dt>
      <dd class="number">{shownNumber(count.name, count.value)}</dd>
    </div>
  );
}

const words = (name: string) => visibleLine(name, 80).replaceAll('_', ' ');
const shownNumber = (name: string, value: number) =>
  /(^|_)bytes$/.test(name) ? formatBytes(value) : value.toLocaleString('en');

function dropWords({ labels = {} }: Count): string {
  const why = [labels.exporter, labels.reason].filter((word) => word !== undefined).map((word) => words(String(word)));
  return `${words(labels.what ?? 'things')}${why.length > 0 ? ` (${why.join(', ')})` : ''}`;
}

function countWords({ name, labels = {} }: Count): string {
  const more = Object.values(labels).map((label) => words(String(label)));
  return more.length === 0 ? words(name) : `${words(name)} (${more.join(', ')})`;
}

function Numbers({ title, values }: { title: string; values: Readonly<Record<string, unknown>> | undefined }) {
  const entries = Object.entries(values ?? {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  if (entries.length === 0) return null;
  const told = entries.filter(([, value]) => value !== 0);
  return (
    <section>
      <h2>{title}</h2>
      {told.length === 0 ? (
        <p class="soft">Nothing so far.</p>
      ) : (
        <dl class="numbers">
          {told.map(([name, value]) => (
            <div key={name}>
              <dt>{words(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))}</dt>
              <dd class="number">{shownNumber(name.replace(/Bytes$/, '_bytes'), value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
