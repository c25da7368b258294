import { fetchSpan } from '../api/client.js';
import type { SpanAnswer } from '../api/span-answer.js';

/** So many spans that have ended are kept, for a step back. */
const MOST = 40;
const kept = new Map<string, SpanAnswer>();

/** A span whole; one that has ended is asked for once. @throws ApiError */
export async function loadSpan(trace: string, span: string, isWhole = false): Promise<SpanAnswer> {
  const key = `${trace}/${span}${isWhole ? '/whole' : ''}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const answer = await fetchSpan(trace, span, isWhole);
  if (answer.end === null) return answer;
  kept.set(key, answer);
  const [oldest] = kept.keys();
  if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
  return answer;
}
