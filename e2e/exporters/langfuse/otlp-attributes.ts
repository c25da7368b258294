/** Attributes of OTLP as plain values. */
export type Attributes = Readonly<Record<string, unknown>>;

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly KeyValue[];
  readonly status?: { readonly code?: number; readonly message?: string };
}

export interface ResourceSpans {
  readonly resource?: { readonly attributes?: readonly KeyValue[] };
  readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
}

export const plainAttributes = (list: readonly KeyValue[] = []): Attributes =>
  Object.fromEntries(list.map(({ key, value }) => [key, plain(value)]));

function plain(value: Readonly<Record<string, unknown>>): unknown {
  if (value.intValue !== undefined) return Number(value.intValue);
  if (value.arrayValue !== undefined) {
    const { values = [] } = value.arrayValue as { values?: readonly Readonly<Record<string, unknown>>[] };
    return values.map(plain);
  }
  return value.stringValue ?? value.boolValue ?? value.doubleValue;
}

/** A text that says something. */
export const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
