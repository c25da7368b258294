import type { Finding } from './finding.js';
import type { ServiceStatus } from './service-status.js';

const MOST_TOLD = 12;

/**
 * Why a service takes nothing, what it has given up since its data folder was made, restarts included, and what it has redacted
 * since its start.
 */
export function dropFindings({ trouble, counts }: ServiceStatus): Finding[] {
  const findings: Finding[] = [];
  if (typeof trouble === 'string') {
    findings.push({
      id: 'trouble',
      level: 'fault',
      text: `the service takes no records: ${trouble}`,
      mend: 'mend that, or start the service again; forwarders keep records meanwhile',
    });
  }
  findings.push(...redactions(counts));
  const drops = (Array.isArray(counts) ? counts : []).flatMap(dropOf).sort((a, b) => b.value - a.value);
  if (drops.length === 0) return findings;
  const told = drops.slice(0, MOST_TOLD).map(({ value, what, why }) => `${value} ${what}${why}`);
  if (drops.length > MOST_TOLD) told.push(`${drops.length - MOST_TOLD} more`);
  findings.push({
    id: 'drops',
    level: 'note',
    text: `given up since the data folder was made: ${told.join(', ')}`,
    details: { drops },
  });
  return findings;
}

/** How many values of each kind; nothing where nothing was redacted. */
function redactions(counts: unknown): Finding[] {
  const kinds = (Array.isArray(counts) ? counts : []).flatMap((count) => {
    const { name, value, labels } = (count ?? {}) as Record<string, unknown>;
    const kind = (labels as Record<string, unknown> | undefined)?.kind;
    return name === 'redacted_values' && typeof value === 'number' && typeof kind === 'string' ? [{ kind, value }] : [];
  });
  if (kinds.length === 0) return [];
  const told = kinds.sort((a, b) => b.value - a.value).map(({ kind, value }) => `${value} ${kind}`);
  return [
    {
      id: 'redacted',
      level: 'note',
      text: `values redacted since the service started: ${told.join(', ')}`,
      details: { kinds },
    },
  ];
}

/** One count of `lifetime_drops`; none for anything else. */
function dropOf(count: unknown): { value: number; what: string; why: string }[] {
  if (typeof count !== 'object' || count === null) return [];
  const { name, value, labels } = count as Record<string, unknown>;
  if (name !== 'lifetime_drops' || typeof value !== 'number' || typeof labels !== 'object' || labels === null)
    return [];
  const { what, exporter, reason } = labels as Record<string, unknown>;
  const why = [exporter, reason].filter((word) => typeof word === 'string').join(', ');
  return [{ value, what: String(what).replaceAll('_', ' '), why: why === '' ? '' : ` (${why})` }];
}
