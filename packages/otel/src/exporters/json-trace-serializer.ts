import type { IExportTraceServiceResponse, ISerializer } from '@opentelemetry/otlp-transformer';
import { loadPeer } from '../sdk/peer.js';
import type { ReadableSpan } from '../sdk/types.js';

type TraceSerializer = ISerializer<ReadableSpan[], IExportTraceServiceResponse>;

/**
 * The OTLP/JSON serializer of `@opentelemetry/otlp-transformer`, an optional peer that is loaded when first used.
 * @throws ObserverError `HO_PEER_MISSING` if it is not installed or does not load.
 */
export function loadJsonTraceSerializer(from?: string | URL): TraceSerializer {
  const { JsonTraceSerializer } = loadPeer<{ JsonTraceSerializer: TraceSerializer }>(
    '@opentelemetry/otlp-transformer',
    'Writing OTLP/JSON',
    from,
  );
  return JsonTraceSerializer;
}
