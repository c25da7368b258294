import type { HrTime } from '@hermes-observer/core';
import { type Facts, NO_FACTS } from '../traces/facts.js';
import type { SourceEvent, SourceLink, SpanSource } from '../traces/span-source.js';
import { NO_LIST, NO_STATUS } from './received-span.js';

/** A span as far as it was read. */
export class SpanHead {
  traceId = '';
  spanId = '';
  parentId = '';
  name = '';
  /** As OTLP counts: 0 not said, 1 internal, … */
  kind = 0;
  start: HrTime | undefined = undefined;
  end: HrTime | undefined = undefined;
  status: SpanSource['status'] = NO_STATUS;
  events: SourceEvent[] = NO_LIST as unknown as SourceEvent[];
  links: SourceLink[] = NO_LIST as unknown as SourceLink[];
  readonly facts: Facts = { ...NO_FACTS };
  isBroken = false;
}
