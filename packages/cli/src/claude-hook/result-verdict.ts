import { isDeepStrictEqual } from 'node:util';
import { type AnswerLine, UndecidedError, UnreachableError } from './ask.js';
import type { PolicySettings } from './policy-settings.js';

type Fields = Readonly<Record<string, unknown>>;

/** What the hook tells Claude Code of a result: standard output, empty where it stays. @param payload the question's */
export function resultOutput(answer: AnswerLine, payload: Fields, settings: PolicySettings): string {
  const { value, by, policy } = answer;
  if (by === undefined && typeof policy !== 'string') {
    return unscreened(new UnreachableError('the service has no policy', false), payload, settings);
  }
  if (by === undefined || isDeepStrictEqual(value, payload.result)) return '';
  if (typeof value === 'string') return replaced(value, payload);
  return unscreened(new UndecidedError('it answered what this hook does not know', false), payload, settings);
}

/** For a question without an answer. */
export function unscreened(error: unknown, payload: Fields, settings: PolicySettings): string {
  if (error instanceof UnreachableError && settings.unreachable === 'allow') return '';
  const isLate = (error instanceof UnreachableError || error instanceof UndecidedError) && error.isLate;
  const why = isLate ? 'policy has not decided in time' : 'policy could not decide on it';
  const text = `The result is withheld by policy (${isLate ? 'hook_timeout' : 'hook_error'}): ${why}. The call has run; do not run it again to see it.`;
  return replaced(text, payload);
}

/**
 * Claude Code takes another result (since 2.1.121) only in the shape that its tool has, and else shows the old one without a
 * word. So the model is told as well that this one counts.
 */
function replaced(text: string, { tool_name: tool, result }: Fields): string {
  const output = shaped(text, tool, result);
  return JSON.stringify({
    decision: 'block',
    reason:
      output === undefined
        ? `Policy lets no result of this call be used but this: ${text}`
        : 'Policy changed the result of this call.',
    ...(output === undefined
      ? {}
      : { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: output } }),
  });
}

/** The text as a result of this tool; `undefined` where its shape is not known. */
function shaped(text: string, tool: unknown, result: unknown): unknown {
  if (typeof result === 'string' || (typeof tool === 'string' && tool.startsWith('mcp__'))) return text;
  if (typeof result !== 'object' || result === null) return undefined;
  const changed = objectOf(text);
  if (changed !== undefined && isDeepStrictEqual(Object.keys(changed).sort(), Object.keys(result).sort()))
    return changed;
  return 'stdout' in result ? { ...result, stdout: text, stderr: '' } : undefined;
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
