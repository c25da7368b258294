/** Which turns are shown; as in the address. Empty means all. */
export interface TurnFilter {
  readonly text: string;
  readonly outcome: string;
  readonly agent: string;
  readonly model: string;
  readonly tool: string;
  /** How far back: one of `SINCE`. */
  readonly since: string;
}

export const SINCE: Readonly<Record<string, { readonly label: string; readonly millis: number }>> = {
  '15m': { label: 'Last 15 minutes', millis: 900_000 },
  '1h': { label: 'Last hour', millis: 3_600_000 },
  '24h': { label: 'Last 24 hours', millis: 86_400_000 },
  '7d': { label: 'Last 7 days', millis: 604_800_000 },
};

/** What can be asked for in `outcome`, with its word for a person. */
export const OUTCOMES: Readonly<Record<string, string>> = {
  running: 'Running',
  blocked: 'With blocked calls',
  completed: 'Completed',
  errors: 'With errors',
  failed: 'Failed',
  interrupted: 'Interrupted',
  incomplete: 'Incomplete',
};

const NAMES = ['text', 'outcome', 'agent', 'model', 'tool', 'since'] as const;

export function parseFilter(search: string): TurnFilter {
  const query = new URLSearchParams(search);
  const [text = '', outcome = '', agent = '', model = '', tool = '', since = ''] = NAMES.map(
    (name) => query.get(name) ?? '',
  );
  return { text, outcome, agent, model, tool, since: since in SINCE ? since : '' };
}

/** The query of the address, `?` included; nothing when all is shown. */
export function filterSearch(filter: TurnFilter): string {
  const query = new URLSearchParams();
  for (const name of NAMES) if (filter[name] !== '') query.set(name, filter[name]);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

export const isFiltered = (filter: TurnFilter): boolean => filterSearch(filter) !== '';

/** What the service is asked for. @param now Unix milliseconds @param before where the next page begins */
export function apiQuery(filter: TurnFilter, now: number, limit: number, before?: string): URLSearchParams {
  const query = new URLSearchParams({ limit: String(limit) });
  for (const name of NAMES) if (name !== 'since' && filter[name] !== '') query.set(name, filter[name]);
  const since = SINCE[filter.since];
  if (since !== undefined) query.set('from', String(Math.floor(now - since.millis)));
  if (before !== undefined) query.set('before', before);
  return query;
}
