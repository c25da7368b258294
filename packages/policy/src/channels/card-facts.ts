import { redactText } from '@hermes-observer/core';
import type { Approval } from '../approvals/approval.js';
import type { ApprovalCard } from './base-channel.js';
import { visibleLine } from './visible-text.js';

/** A line of a card: what it is, and that. Both are text; markup in them means nothing. */
export type Fact = readonly [label: string, value: string];

const MOST_VALUE = 500;

/** What a person is told beside the arguments. Each value is one line of at most some 500 characters, and says if it is cut. */
export function factsOf(approval: Approval, masked = 0): readonly Fact[] {
  const facts: (readonly [string, string])[] = [
    ['Tool', approval.tool],
    ['Why', redactText(approval.title)],
    ['Agent', approval.agent],
    ['For', approval.user],
    ['Session', approval.sessionId],
    ['Asked by', approval.gates.map(({ name, version }) => (version ? `${name} ${version}` : name)).join(', ')],
    ['Expires', approval.expiresAt === null ? 'never' : new Date(approval.expiresAt).toISOString()],
    ['Masked', masked === 0 ? '' : `${masked} ${masked === 1 ? 'value' : 'values'}, as a secret`],
    ['Digest', approval.digest],
    ['Request', approval.id],
  ];
  return facts.filter(([, value]) => value !== '').map(([label, value]) => [label, bounded(visibleLine(value))]);
}

function bounded(value: string): string {
  if (value.length <= MOST_VALUE) return value;
  return `${safeStart(value, MOST_VALUE)} … (${value.length} characters, not all shown)`;
}

/** What became of it, for people. */
export function outcomeOf({ state, decider, comment }: Approval): string {
  const who = decider === null ? '' : ` by ${visibleLine(`${decider.channel}:${decider.id}`)}`;
  const said = comment === '' ? '' : ` “${bounded(visibleLine(redactText(comment)))}”`;
  switch (state) {
    case 'pending':
      return 'Waiting for an answer.';
    case 'approved':
    case 'executing':
    case 'executed':
    case 'outcome_unknown':
      return `Approved${who}.${said}`;
    case 'rejected':
      return `Rejected${who}.${said}`;
    case 'expired':
      return 'Nobody answered in time: not approved.';
    case 'cancelled':
      return 'Called off: not approved.';
  }
}

/** Arguments as far as they fit. */
export interface FittedArgs {
  readonly text: string;
  readonly isWhole: boolean;
  /** Says what is missing, where to read it, and the digest. Empty if nothing is missing. */
  readonly note: string;
}

/** At most `most` characters of the arguments, which are visible text already. */
export function fitArgs(args: string, most: number, { approval, link }: ApprovalCard): FittedArgs {
  if (args.length <= most) return { text: args, isWhole: true, note: '' };
  const text = safeStart(args, most);
  const where =
    link === undefined
      ? 'It cannot be approved here: read and decide it with `hermes-observer policy`.'
      : `Read all of it before you decide: ${link}`;
  const size = `${Buffer.byteLength(args)} bytes, ${args.length} characters`;
  return {
    text,
    isWhole: false,
    note: `NOT ALL IS SHOWN: the first ${text.length} of ${args.length} characters (${size}). Digest of all: ${approval.digest}. ${where}`,
  };
}

/** The longest card that fits: `build` is given fewer and fewer characters of the arguments. */
export function fitted<Built>(most: number, build: (most: number) => Built, fits: (built: Built) => boolean): Built {
  let characters = most;
  let built = build(characters);
  while (!fits(built) && characters > 0) {
    characters = Math.floor(characters * 0.8);
    built = build(characters);
  }
  return built;
}

/** A start that splits neither a pair nor an escape. */
function safeStart(text: string, most: number): string {
  let end = Math.max(0, most);
  const backslash = text.lastIndexOf('\\', end - 1);
  if (backslash >= 0 && end - backslash < 6) end = backslash;
  const last = text.charCodeAt(end - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end);
}
