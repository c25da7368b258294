import type { Count } from './ports.js';

/** What was given up, by JSON of the count's name and labels: `["lost_spans",{"exporter":"a","reason":"refused"}]`. */
export type SavedDrops = Readonly<Record<string, number>>;

/** Names and reasons that are told apart; what comes behind them is added up as `other`. */
const MOST_KEYS = 256;
const OTHER = JSON.stringify(['other', {}]);

/** Counts that say that something was given up or lost. */
const DROPS: ReadonlySet<string> = new Set([
  'cut_spans',
  'faulty_records',
  'late_records',
  'lost_logs',
  'lost_records',
  'lost_spans',
  'malformed_lines',
  'producer_dropped_records',
  'unheld_traces',
  'unwritable_spans',
]);

/**
 * What was given up since the data folder was made. Counts begin at 0 with each start, as Prometheus expects it; this goes
 * on with what the checkpoint says.
 */
export class DropTotals {
  readonly #counts: () => readonly Count[];
  readonly #saved: SavedDrops;
  /** Counts at the end of the recovery, which counts again what was counted before. */
  #again: SavedDrops = {};

  /** @param counts the counts since the start. @param saved of the checkpoint */
  constructor(counts: () => readonly Count[], saved: SavedDrops = {}) {
    this.#counts = counts;
    this.#saved = saved;
  }

  /** The recovery is over: what these counts of the tracer say was counted before the start. */
  recovered(names: readonly string[]): void {
    this.#again = dropsOf(this.#counts().filter(({ name }) => names.includes(name)));
  }

  save(): SavedDrops {
    const totals: Record<string, number> = {};
    const add = (key: string, value: number) => {
      if (value <= 0) return;
      const known = key in totals || Object.keys(totals).length < MOST_KEYS ? key : OTHER;
      totals[known] = (totals[known] ?? 0) + value;
    };
    for (const [key, value] of Object.entries(this.#saved)) add(key, value);
    for (const [key, value] of Object.entries(dropsOf(this.#counts()))) add(key, value - (this.#again[key] ?? 0));
    return totals;
  }

  /** All of it, to see whether there is more. */
  get sum(): number {
    return Object.values(this.save()).reduce((sum, value) => sum + value, 0);
  }

  counts(): Count[] {
    return Object.entries(this.save()).map(([key, value]) => {
      const [what, labels] = JSON.parse(key) as [string, Readonly<Record<string, string>>];
      return { name: 'lifetime_drops', help: HELP, value, labels: { what, ...labels } };
    });
  }
}

const HELP = 'What was given up since the data folder was made, by what it was and why.';

function dropsOf(counts: readonly Count[]): SavedDrops {
  const drops: Record<string, number> = {};
  for (const { name, labels = {}, value } of counts) {
    if (DROPS.has(name)) drops[JSON.stringify([name, labels])] = value;
  }
  return drops;
}
