import type { Exporter } from '../api/health-answer.js';
import { formatBytes } from '../format/amount.js';
import { visibleLine } from '../format/visible-text.js';
import { Badge } from '../ui/badge.js';

/** Where spans go, and whether they get there. */
export function ExporterTable({ exporters }: { exporters: readonly Exporter[] }) {
  return (
    <section>
      <h2>Exporters</h2>
      {exporters.length === 0 ? (
        <p class="soft">None is set: spans show here, and go nowhere else.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Exporters">
          <table>
            <thead>
              <tr>
                <th>Exporter</th>
                <th>State</th>
                <th class="number">Sent spans</th>
                <th class="number">Waiting</th>
                <th class="number">Lost spans</th>
                <th>Last error</th>
              </tr>
            </thead>
            <tbody>
              {exporters.map((one) => (
                <tr key={one.name}>
                  <td>{visibleLine(one.name, 60)}</td>
                  <td>
                    <ExporterState exporter={one} />
                  </td>
                  <td class="number">{one.sentSpans.toLocaleString('en')}</td>
                  <td class="number">{formatBytes(one.waitingBytes)}</td>
                  <td class={`number ${one.lostSpans > 0 ? 'tone-text-bad' : ''}`}>
                    {one.lostSpans.toLocaleString('en')}
                  </td>
                  <td class="wrap">{visibleLine(one.lastError ?? '', 300) || <span class="soft">none</span>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function ExporterState({ exporter: { lastError, waitingBytes } }: { exporter: Exporter }) {
  if (lastError !== undefined && lastError !== null && waitingBytes > 0) {
    return (
      <Badge tone="bad" icon="error">
        failing
      </Badge>
    );
  }
  return (
    <Badge tone="good" icon="check">
      {waitingBytes > 0 ? 'sending' : 'ok'}
    </Badge>
  );
}
