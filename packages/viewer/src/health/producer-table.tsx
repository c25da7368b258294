import type { Producer } from '../api/health-answer.js';
import { formatAgo, formatWholeMoment } from '../format/moment.js';
import { visibleLine } from '../format/visible-text.js';

const wordOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? visibleLine(String(value), 60) : '';

/** Who sends records, and what of them is missing. */
export function ProducerTable({ producers }: { producers: readonly Producer[] }) {
  const latest = [...producers].sort((a, b) => b.lastSeen - a.lastSeen);
  return (
    <section>
      <h2>Producers</h2>
      {latest.length === 0 ? (
        <p class="soft">
          The service has never had a record. Restart the agent, since it loads plugins when it starts, and say
          something to it.
        </p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Producers">
          <table>
            <thead>
              <tr>
                <th>Producer</th>
                <th>Agent</th>
                <th>Content</th>
                <th>Last record</th>
                <th class="number">Records</th>
                <th class="number">Missing</th>
                <th>Given up</th>
              </tr>
            </thead>
            <tbody>
              {latest.map((one) => (
                <ProducerLine key={one.producer} producer={one} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function ProducerLine({
  producer: { producer, hello = {}, lastSeen, records, missing, dropped },
}: {
  producer: Producer;
}) {
  const surface = wordOf(hello.surface) || 'agent';
  const profile = wordOf(hello.profile);
  const version = wordOf(hello.hermes_version);
  const lost = Object.entries(dropped ?? {}).map(
    ([reason, count]) => `${Number(count).toLocaleString('en')} ${visibleLine(reason, 40).replaceAll('_', ' ')}`,
  );
  return (
    <tr>
      <td>
        <code title={visibleLine(producer, 80)}>{visibleLine(producer, 12)}</code>
      </td>
      <td>
        {surface}
        {profile !== '' && ` · ${profile}`}
        {version !== '' && <span class="soft"> {version}</span>}
      </td>
      <td>{wordOf(hello.capture) || '–'}</td>
      <td title={formatWholeMoment(`${Math.round(lastSeen)}000000`)}>{formatAgo(lastSeen, Date.now())}</td>
      <td class="number">{records.toLocaleString('en')}</td>
      <td class={`number ${missing > 0 ? 'tone-text-warn' : ''}`}>{missing.toLocaleString('en')}</td>
      <td class={lost.length > 0 ? 'tone-text-warn' : 'soft'}>{lost.join(', ') || 'nothing'}</td>
    </tr>
  );
}
