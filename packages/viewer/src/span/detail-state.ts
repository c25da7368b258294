import type { SpanAnswer } from '../api/span-answer.js';
import { KIND } from '../api/turn-answer.js';
import type { Tone } from '../ui/badge.js';
import type { IconName } from '../ui/icon.js';

export interface DetailState {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly word: string;
}

const BY_STATUS: Readonly<Record<string, DetailState>> = {
  blocked: { tone: 'blocked', icon: 'blocked', word: 'blocked' },
  cancelled: { tone: 'calm', icon: 'cancelled', word: 'cancelled' },
  interrupted: { tone: 'calm', icon: 'interrupted', word: 'interrupted' },
  timeout: { tone: 'bad', icon: 'timeout', word: 'timeout' },
};
const STATUS_NAMES = ['hermes.tool.status', 'hermes.subagent.status', 'hermes.turn.outcome'];

/** How a span stands, by its own attributes; undefined where there is nothing to say. */
export function detailState({ attributes, kind, status, end }: SpanAnswer): DetailState | undefined {
  for (const name of STATUS_NAMES) {
    const value = attributes[name];
    if (typeof value === 'string' && Object.hasOwn(BY_STATUS, value)) return BY_STATUS[value];
  }
  if (status.code === 2) return { tone: 'bad', icon: 'error', word: 'error' };
  if (end === null && (kind === KIND.approval || kind === KIND.human))
    return { tone: 'human', icon: 'human', word: 'waits for you' };
  if (end === null) return { tone: 'live', icon: 'running', word: 'running' };
  if (attributes['hermes.incomplete'] === true) return { tone: 'warn', icon: 'incomplete', word: 'incomplete' };
  return undefined;
}
