import type { Attributes } from '../api/span-answer.js';
import { visibleLine } from '../format/visible-text.js';

const EVENT = 'hermes.policy.decision';

const OUTCOMES: Readonly<Record<string, string>> = {
  allow: 'has no objection',
  deny: 'says no',
  ask: 'wants a person to approve it',
  modify: 'changed the arguments',
  skip: 'does not hold here',
};

/** Where the kind says more than the outcome. */
const KINDS: Readonly<Record<string, string>> = {
  remembered: 'is covered by an answer that was given before',
  exempt: 'does not hold for this child',
  expired: 'had no answer in time: nobody agreed',
  pending: 'has no answer yet: nobody agreed',
  cancelled: 'was called off',
  hook_error: 'could not decide: it failed',
  hook_timeout: 'could not decide in time',
  config_error: 'could not decide: a mistake in its settings',
  already_run: 'lets nothing run twice: the very same call has run',
  outcome_unknown: 'lets nothing run twice: nobody knows how the very same call ended',
};

/** What a gate of a policy decided, as a sentence; `undefined` for other events. */
export function policyWords(name: string, attributes: Attributes): string | undefined {
  if (name !== EVENT) return undefined;
  const text = (key: string) => (typeof attributes[key] === 'string' ? (attributes[key] as string) : '');
  const [gate, outcome, kind] = ['gate', 'outcome', 'kind'].map((key) => text(`hermes.policy.${key}`));
  const isPerson = gate?.endsWith(':approval') === true;
  const what = words(isPerson, outcome ?? '', kind ?? '');
  const who = isPerson
    ? kind === 'allowed' || kind === 'denied'
      ? 'A person'
      : 'The question to a person'
    : visibleLine(gate || 'A gate', 80);
  const lets =
    outcome === 'allow' && text('hermes.policy.on_error') === 'allow' && kind !== 'allowed'
      ? ', and is set to let through then'
      : '';
  const only = text('hermes.policy.mode') === 'observe' ? ' (it only observes)' : '';
  // Content: only where it was captured.
  const reason = text('hermes.policy.reason');
  return `${who} ${what}${lets}${only}${reason === '' ? '' : `: ${visibleLine(reason, 400)}`}`;
}

function words(isPerson: boolean, outcome: string, kind: string): string {
  if (isPerson && kind === 'allowed') return 'approved it';
  if (isPerson && kind === 'denied') return 'refused it';
  if (Object.hasOwn(KINDS, kind)) return KINDS[kind] ?? '';
  return Object.hasOwn(OUTCOMES, outcome) ? (OUTCOMES[outcome] ?? '') : `says ${visibleLine(outcome, 40)}`;
}

const CHOICES: Readonly<Record<string, string>> = {
  once: 'A person approved it, for this one run',
  session: 'A person approved it, for this session',
  always: 'A person approved it, for always',
  deny: 'A person refused it',
  timeout: 'Nobody answered in time: nobody agreed',
  cancelled: 'The question was called off',
  pending: 'Nobody has answered yet',
  notify_failed: 'Nobody could be asked',
};

/** How a wait for a person ended, as a sentence; `undefined` where the span is none. */
export function approvalWords(attributes: Attributes): string | undefined {
  const choice = attributes['hermes.approval.choice'];
  return typeof choice === 'string' && Object.hasOwn(CHOICES, choice) ? CHOICES[choice] : undefined;
}
