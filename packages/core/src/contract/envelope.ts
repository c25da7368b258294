import * as z from 'zod';

const traceContext = z
  .looseObject({
    traceparent: z.string().nullish().describe('W3C `traceparent`.'),
    tracestate: z.string().nullish().describe('W3C `tracestate`.'),
    baggage: z.string().nullish().describe('W3C `baggage`.'),
  })
  .nullish()
  .describe('W3C trace context of whoever started the turn.');

/**
 * The record around a payload: one hook call, one JSON object a line. The payload is any object here; `validateRecord` and
 * the JSON Schema check it by hook. `parseRecord` is the fast check of what makes a record usable; this one is exact.
 */
export const recordSchema = z
  .looseObject({
    hook: z.string().min(1).describe('Hook name. An open set: unknown names pass through.'),
    time_unix_nano: z
      .string()
      .regex(/^[0-9]{1,20}$/)
      .describe('Wall clock when the callback ran: nanoseconds since the Unix epoch, decimal digits.'),
    seq: z.int().min(1).nullish().describe('Counter of the producer, from 1; gaps show loss.'),
    producer: z.string().nullish().describe('Random id of one producer process; a restart is a new producer.'),
    payload: z.looseObject({}).describe('Keyword arguments of the hook as the producer gave them. Unknown keys pass.'),
    profile: z.string().nullish().describe('Agent profile, when the producer runs several.'),
    trace_context: traceContext,
  })
  .describe('One hook call of an agent: one JSON object a line (NDJSON, UTF-8). Version hermes.observer.v1.');
