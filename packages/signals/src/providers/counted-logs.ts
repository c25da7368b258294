import type * as Sdk from '@opentelemetry/sdk-logs';

/** Log records that came to no exporter: the batches of the SDK drop what finds their queue full, and say nothing. */
export class CountedLogs {
  #made = 0;
  #handedOver = 0;
  #told = 0;

  /** Counts what is made. To stand before the batches of each exporter. */
  readonly processor: Sdk.LogRecordProcessor = {
    onEmit: () => void this.#made++,
    forceFlush: async () => {},
    shutdown: async () => {},
  };

  /** The same exporter; what comes to it is counted. */
  counted(exporter: Sdk.LogRecordExporter): Sdk.LogRecordExporter {
    const send = exporter.export.bind(exporter);
    exporter.export = (records, callback) => {
      this.#handedOver += records.length;
      send(records, callback);
    };
    return exporter;
  }

  /** Records that were dropped since the last time: to be asked after a flush, when none waits. */
  dropped(): number {
    const dropped = Math.max(0, this.#made - this.#handedOver - this.#told);
    this.#told += dropped;
    return dropped;
  }
}
