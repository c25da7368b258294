/** OTLP/JSON of spans as it is on the wire: 64-bit integers are strings or numbers, empty fields may be missing. */
export interface OtlpTraces {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: readonly OtlpAttribute[] };
    readonly scopeSpans?: readonly {
      readonly scope?: {
        readonly name?: string;
        readonly version?: string;
        readonly attributes?: readonly OtlpAttribute[];
      };
      readonly spans?: readonly OtlpSpan[];
    }[];
  }[];
}

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly flags?: number;
  readonly name?: string;
  readonly kind?: number;
  readonly startTimeUnixNano?: string | number;
  readonly endTimeUnixNano?: string | number;
  readonly attributes?: readonly OtlpAttribute[];
  readonly droppedAttributesCount?: number;
  readonly events?: readonly {
    readonly timeUnixNano?: string | number;
    readonly name?: string;
    readonly attributes?: readonly OtlpAttribute[];
    readonly droppedAttributesCount?: number;
  }[];
  readonly droppedEventsCount?: number;
  readonly links?: readonly {
    readonly traceId?: string;
    readonly spanId?: string;
    readonly traceState?: string;
    readonly flags?: number;
    readonly attributes?: readonly OtlpAttribute[];
    readonly droppedAttributesCount?: number;
  }[];
  readonly droppedLinksCount?: number;
  readonly status?: { readonly code?: number; readonly message?: string };
}

export interface OtlpAttribute {
  readonly key: string;
  readonly value?: OtlpValue;
}

export interface OtlpValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string | number;
  readonly doubleValue?: number | string;
  readonly bytesValue?: string;
  readonly arrayValue?: { readonly values?: readonly OtlpValue[] };
  readonly kvlistValue?: { readonly values?: readonly OtlpAttribute[] };
}
