import { type DataPoint, type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';

class Reader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

export interface Point {
  readonly labels: Readonly<Record<string, unknown>>;
  /** Of a histogram its sum. */
  readonly value: number;
  readonly count: number | undefined;
}

/** A meter provider of the SDK that can be read. */
export class ReadableMeters {
  readonly #reader = new Reader();
  readonly provider = new MeterProvider({ readers: [this.#reader] });

  async metrics() {
    const { resourceMetrics, errors } = await this.#reader.collect();
    if (errors.length > 0) throw new AggregateError(errors);
    return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
  }

  async points(name: string): Promise<Point[]> {
    const metric = (await this.metrics()).find(({ descriptor }) => descriptor.name === name);
    return (metric?.dataPoints ?? []).map((point) => {
      const { attributes: labels, value } = point as DataPoint<number | Histogram>;
      return typeof value === 'number'
        ? { labels, value, count: undefined }
        : { labels, value: value.sum ?? 0, count: value.count };
    });
  }

  async sum(name: string): Promise<number> {
    return (await this.points(name)).reduce((sum, { value }) => sum + value, 0);
  }

  async count(name: string): Promise<number> {
    return (await this.points(name)).reduce((sum, { count = 0 }) => sum + count, 0);
  }
}
