export interface Producer {
  readonly producer: string;
  readonly hello?: Readonly<Record<string, unknown>>;
  /** Unix milliseconds. */
  readonly lastSeen: number;
  readonly records: number;
  readonly missing: number;
  readonly dropped: Readonly<Record<string, number>>;
}

export interface Exporter {
  readonly name: string;
  readonly sentSpans: number;
  readonly waitingBytes: number;
  readonly lostSpans: number;
  readonly lastError?: string;
}

export interface Count {
  readonly name: string;
  readonly help: string;
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** One thing that `check` looked at. */
export interface Finding {
  readonly id: string;
  readonly level: string;
  readonly text: string;
  readonly mend?: string;
}

/** Answer of `GET /api/health`. Every part may be missing: the page may be newer than the service. */
export interface HealthAnswer {
  readonly version?: string;
  readonly is_ready?: boolean;
  readonly is_paused?: boolean;
  readonly trouble?: string;
  readonly http?: string;
  readonly jaegerUrl?: string;
  /** Files are shown, and nothing arrives. */
  readonly files?: boolean;
  readonly findings?: readonly Finding[];
  readonly producers?: readonly Producer[];
  readonly exporters?: readonly Exporter[];
  readonly counts?: readonly Count[];
  readonly receiver?: Readonly<Record<string, unknown>>;
  readonly store?: Readonly<Record<string, unknown>>;
}
