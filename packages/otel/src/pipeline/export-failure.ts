import type { CountedResult, SpansByReason } from '../sdk/counted-result.js';

/** Why an export did not take all spans, and how many of them. */
export interface ExportFailure {
  readonly error: Error;
  readonly lost: SpansByReason;
}

const SUCCESS = 0;

/** Of an export of so many spans that threw, or rejected, with `reason`. */
export function thrown(reason: unknown, spans: number): ExportFailure {
  const error = errorOf(reason);
  return { error, lost: { [wordFor(error)]: spans } };
}

/** What an exporter answered for so many spans, as far as it is none of success. */
export function failureOf(result: CountedResult | null | undefined, spans: number): ExportFailure | undefined {
  if (result?.code === SUCCESS) return undefined;
  const failure = thrown(result?.error ?? new Error('the exporter gave no reason'), spans);
  return typeof result?.lost === 'object' ? { ...failure, lost: result.lost } : failure;
}

/** Why spans were not exported that `exporter` still has: what failed so far, where it is one of ours and can tell. */
export function unanswered(exporter: object): Error {
  const { trouble, name } = 'trouble' in exporter ? (exporter as { trouble?: Error; name?: string }) : {};
  return trouble ?? new Error(`${name ?? 'the exporter'} had not answered when the observer was shut down`);
}

function errorOf(error: unknown): Error {
  try {
    return error instanceof Error ? error : new Error(String(error));
  } catch {
    // Such as an object without a prototype.
    return new Error('the exporter failed with what cannot be read');
  }
}

const OTHER = '_OTHER';

/** A word for a metric: the code of an error, or its class. */
function wordFor(error: Error): string {
  try {
    const { code, name } = error as { code?: unknown; name?: unknown };
    const word = typeof code === 'string' ? code : name;
    return typeof word === 'string' && /^\w{1,40}$/.test(word) && word !== 'Error' ? word : OTHER;
  } catch {
    return OTHER;
  }
}
