import type { Baggage, BaggageEntry, Context } from '@opentelemetry/api';
import { contextKey } from './context.js';

const BAGGAGE_KEY = contextKey('OpenTelemetry Baggage Key');

class PlainBaggage implements Baggage {
  readonly #entries: ReadonlyMap<string, BaggageEntry>;

  constructor(entries: ReadonlyMap<string, BaggageEntry>) {
    this.#entries = entries;
  }

  getEntry(key: string): BaggageEntry | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined ? undefined : { ...entry };
  }

  getAllEntries(): [string, BaggageEntry][] {
    return [...this.#entries];
  }

  setEntry(key: string, entry: BaggageEntry): Baggage {
    return new PlainBaggage(new Map(this.#entries).set(key, entry));
  }

  removeEntry(key: string): Baggage {
    return this.removeEntries(key);
  }

  removeEntries(...keys: string[]): Baggage {
    const entries = new Map(this.#entries);
    for (const key of keys) entries.delete(key);
    return new PlainBaggage(entries);
  }

  clear(): Baggage {
    return new PlainBaggage(new Map());
  }
}

export const createBaggage = (entries: Iterable<readonly [string, BaggageEntry]>): Baggage =>
  new PlainBaggage(new Map(entries));

export const getBaggage = (context: Context): Baggage | undefined =>
  (context.getValue(BAGGAGE_KEY) as Baggage | undefined) || undefined;

export const setBaggage = (context: Context, baggage: Baggage): Context => context.setValue(BAGGAGE_KEY, baggage);
