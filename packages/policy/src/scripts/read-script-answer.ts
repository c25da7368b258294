import type { ApprovalTerms, HookAnswer, HookContext } from '../hooks/hook.js';
import type { ProcessEnd } from './run-process.js';

/** A script that did not decide. What it says goes to the log, not to the model. */
export class ScriptFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ScriptFailure';
  }
}

const BLOCKED = 'Blocked by a script of the policy.';
const LONGEST_REASON = 2000;

/**
 * What a script decided, by its exit code and by JSON, as Claude Code and Hermes Agent read them; but what they take for an
 * allowance though it is none (other codes, no JSON where there is text, `defer`) is a failure here. Throws `ScriptFailure`.
 */
export function readScriptAnswer(end: ProcessEnd, context: HookContext, terms: ApprovalTerms): HookAnswer {
  if (end.code === null) throw new ScriptFailure(`it was ended by ${end.signal ?? 'a signal'}`);
  const text = end.stdout.trim();
  if (end.code === 2) return blockedBy(end, text, context, terms);
  if (end.code !== 0) {
    const block = text.startsWith('{') ? answerOf(parse(text), context, terms) : undefined;
    if (block?.allow === false) return block;
    throw new ScriptFailure(`it ended with code ${end.code}: ${firstLine(end.stderr)}`);
  }
  // At the start of a session, scripts write what the agent should know. Nobody is told of it here.
  const isSilent = text === '' || (context.event === 'SessionStart' && !text.startsWith('{'));
  return isSilent ? undefined : answerOf(parse(text), context, terms);
}

/** Interpreters end with 2 as well when a script is missing or they are called wrongly. Both block; only one is a decision. */
const NOT_A_DECISION =
  /can't open file|cannot open|No such file or directory|not found|unrecognized arguments|^usage: |[Ss]yntax error|[Uu]nexpected (end of file|EOF)|[Ii]llegal option|invalid option|Traceback \(most recent call last\)/m;

function blockedBy(end: ProcessEnd, text: string, context: HookContext, terms: ApprovalTerms): HookAnswer {
  if (text.startsWith('{')) {
    const answer = answerOf(parse(text), context, terms);
    if (answer?.allow === false) return answer;
  }
  const reason = end.stderr.trim();
  if (NOT_A_DECISION.test(reason)) throw new ScriptFailure(`it did not run: ${firstLine(reason)}`);
  return { allow: false, error: reason === '' ? BLOCKED : reason.slice(0, LONGEST_REASON) };
}

function parse(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ScriptFailure('it wrote what is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ScriptFailure('it wrote JSON that is no object');
  }
  return value as Record<string, unknown>;
}

/** Words of both formats, by what they mean. */
const WORDS: Readonly<Record<string, 'allow' | 'deny' | 'ask' | 'modify'>> = {
  allow: 'allow',
  // Hermes: a person has to approve. Claude Code's old `decision: approve` is the opposite, and read as the stricter one.
  approve: 'ask',
  ask: 'ask',
  deny: 'deny',
  block: 'deny',
  defer: 'deny',
  modify: 'modify',
};

function answerOf(data: Record<string, unknown>, context: HookContext, terms: ApprovalTerms): HookAnswer {
  if (data.continue === false) return deny(data.stopReason);
  const specific = objectAt(data, 'hookSpecificOutput');
  const said = [
    [data.action, data.message ?? data.reason, data.args ?? data.tool_input],
    [data.decision, data.reason ?? data.message, data.tool_input ?? data.args],
    [specific.permissionDecision, specific.permissionDecisionReason, undefined],
  ] as const;
  let modifiedArgs: unknown = specific.updatedInput ?? undefined;
  let ask: HookAnswer;
  for (const [word, reason, args] of said) {
    if (word === undefined || word === null) continue;
    const meaning = typeof word === 'string' && Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
    if (meaning === undefined) throw new ScriptFailure('it decided with a word that is none');
    if (meaning === 'deny') return word === 'defer' ? deny('The policy put the decision off.') : deny(reason);
    if (meaning === 'ask')
      ask = { ask: { ...(typeof reason === 'string' && reason !== '' ? { title: oneLine(reason) } : {}), ...terms } };
    if (meaning !== 'modify') continue;
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      throw new ScriptFailure('it modifies arguments and gives none');
    }
    // Hermes puts these over the others.
    modifiedArgs = { ...context.args, ...args };
  }
  if (modifiedArgs === undefined) return resultOf(data, specific, context) ?? ask;
  if (typeof modifiedArgs !== 'object' || modifiedArgs === null || Array.isArray(modifiedArgs)) {
    throw new ScriptFailure('it modifies arguments and gives none');
  }
  return { ...ask, modifiedArgs: modifiedArgs as Record<string, unknown> };
}

/** `PostToolUse`: a result that takes the place of the tool's. */
function resultOf(
  data: Record<string, unknown>,
  specific: Record<string, unknown>,
  { event }: HookContext,
): HookAnswer {
  const value = specific.updatedToolOutput ?? specific.updatedMCPToolOutput ?? data.result;
  return event === 'PostToolUse' && value !== undefined && value !== null ? { modifiedResult: value } : undefined;
}

function objectAt(data: Record<string, unknown>, key: string): Record<string, unknown> {
  const value = data[key];
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new ScriptFailure(`its \`${key}\` is no object`);
  return value as Record<string, unknown>;
}

const deny = (reason: unknown): HookAnswer => ({
  allow: false,
  error: typeof reason === 'string' && reason.trim() !== '' ? reason.trim().slice(0, LONGEST_REASON) : BLOCKED,
});

const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ').slice(0, 200);
const firstLine = (text: string): string => (text.trim().split('\n').at(-1) ?? '').slice(0, 400);
