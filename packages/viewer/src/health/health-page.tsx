import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { fetchHealth } from '../api/client.js';
import type { HealthAnswer } from '../api/health-answer.js';
import { visibleLine } from '../format/visible-text.js';
import { Badge } from '../ui/badge.js';
import { FaultNotice } from '../ui/notice.js';
import { CountTables } from './count-tables.js';
import { ExporterTable } from './exporter-table.js';
import { ProducerTable } from './producer-table.js';

/** What the service says is asked again so often, ms. */
const AGAIN = 3000;

const health = signal<HealthAnswer | undefined>(undefined);
const fault = signal<unknown>(undefined);

async function load(): Promise<void> {
  try {
    health.value = await fetchHealth();
    fault.value = undefined;
  } catch (error) {
    fault.value = error;
  }
}

/** Whether records arrive, from whom, and whether spans leave. */
export function HealthPage() {
  useEffect(() => {
    document.title = 'Health – Hermes Observer';
    void load();
    const timer = setInterval(() => document.hidden || void load(), AGAIN);
    return () => clearInterval(timer);
  }, []);
  const answer = health.value;
  if (answer === undefined) {
    return (
      <main>
        {fault.value === undefined ? (
          <p class="loading">Loading…</p>
        ) : (
          <FaultNotice fault={fault.value} again={() => void load()} />
        )}
      </main>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <main class="health-page" tabIndex={0} aria-label="Health">
      <h1>Health</h1>
      {fault.value !== undefined && (
        <p role="alert" class="tone-text-bad">
          The service does not answer any more; this is what it said last.
        </p>
      )}
      <ServiceState answer={answer} />
      {answer.files !== true && (
        <>
          <ProducerTable producers={answer.producers ?? []} />
          <ExporterTable exporters={answer.exporters ?? []} />
        </>
      )}
      <CountTables answer={answer} />
    </main>
  );
}

function ServiceState({ answer }: { answer: HealthAnswer }) {
  const { trouble, version, http } = answer;
  if (answer.files === true) return <p class="soft">Files are shown here: nothing arrives, and nothing is sent.</p>;
  return (
    <div class="facts">
      {trouble !== undefined || answer.is_ready === false ? (
        <Badge tone="bad" icon="error">
          takes no records
        </Badge>
      ) : answer.is_paused === true ? (
        <Badge tone="warn" icon="interrupted">
          paused
        </Badge>
      ) : (
        <Badge tone="good" icon="check">
          takes records
        </Badge>
      )}
      {trouble !== undefined && <span>{visibleLine(trouble)}</span>}
      {version !== undefined && <span>version {visibleLine(version, 40)}</span>}
      {http !== undefined && <code>{visibleLine(http, 80)}</code>}
    </div>
  );
}
