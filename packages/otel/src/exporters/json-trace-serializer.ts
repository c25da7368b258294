import { createRequire } from 'node:module';
import { ObserverError } from '@hermes-observer/core';
import type { IExportTraceServiceResponse, ISerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan } from '../sdk/types.js';

type TraceSerializer = ISerializer<ReadableSpan[], IExportTraceServiceResponse>;

const PACKAGE = '@opentelemetry/otlp-transformer';

/**
 * The OTLP/JSON serializer of `@opentelemetry/otlp-transformer`, an optional peer that is loaded when first used.
 * @throws ObserverError `HO_PEER_MISSING` if it is not installed or does not load.
 */
export function loadJsonTraceSerializer(from: string | URL = import.meta.url): TraceSerializer {
  try {
    const { JsonTraceSerializer } = createRequire(from)(PACKAGE) as { JsonTraceSerializer: TraceSerializer };
    return JsonTraceSerializer;
  } catch (cause) {
    throw new ObserverError(
      'HO_PEER_MISSING',
      `Writing OTLP/JSON needs the package ${PACKAGE}: npm install ${PACKAGE}`,
      {
        cause,
      },
    );
  }
}
