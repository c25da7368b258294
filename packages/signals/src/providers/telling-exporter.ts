interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/** An exporter of the SDK: those of metrics get one object, those of logs a list of records. */
interface Exporter {
  export(items: never, callback: (result: ExportResult) => void): void;
  shutdown(): Promise<void>;
}

const SUCCESS = 0;

/**
 * Has an exporter tell when its receiver takes nothing, which the SDK keeps to itself: at once, and again after it has
 * taken something; and at the end how many log records were lost.
 * @param what the items, for messages
 */
export function tellingExporter<T extends Exporter>(
  exporter: T,
  url: string,
  what: 'metrics' | 'log records',
  warn: (text: string) => void,
): T {
  const { origin, pathname } = new URL(url);
  const place = `${origin}${pathname}`;
  const send = exporter.export.bind(exporter);
  const close = exporter.shutdown.bind(exporter);
  let isTaken = true;
  let lost = 0;
  exporter.export = (items, callback) =>
    send(items, (result) => {
      if (result.code === SUCCESS) {
        isTaken = true;
      } else {
        // Metrics are one object. Cumulative ones are not lost: the next request has them too.
        lost += (items as { readonly length?: number }).length ?? 0;
        if (isTaken) warn(`${what} are not taken at ${place}: ${reasonOf(result.error)}.`);
        isTaken = false;
      }
      callback(result);
    });
  exporter.shutdown = async () => {
    await close();
    if (lost > 0) warn(`${what} that were lost on their way to ${place}: ${lost}.`);
    lost = 0;
  };
  return exporter;
}

function reasonOf(error: Error | undefined): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  const text = error?.message || 'no reason given';
  if (code === 404) return `${text} (HTTP 404); a Collector answers so where it has no such pipeline`;
  return typeof code === 'number' ? `${text} (HTTP ${code})` : text;
}
