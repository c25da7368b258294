import type { Outcome } from '../api/turn-row.js';
import { Badge, type Tone } from './badge.js';
import type { IconName } from './icon.js';

const LOOKS: Readonly<Record<Outcome, readonly [Tone, IconName, string]>> = {
  running: ['live', 'running', 'running'],
  completed: ['good', 'check', 'completed'],
  ok: ['good', 'check', 'ok'],
  failed: ['bad', 'error', 'failed'],
  error: ['bad', 'error', 'error'],
  interrupted: ['calm', 'interrupted', 'interrupted'],
  incomplete: ['warn', 'incomplete', 'incomplete'],
};

export function OutcomeBadge({ outcome, waitsForHuman = false }: { outcome: Outcome; waitsForHuman?: boolean }) {
  if (waitsForHuman) {
    return (
      <Badge tone="human" icon="human">
        waits for you
      </Badge>
    );
  }
  const [tone, icon, word] = LOOKS[outcome] ?? (['calm', 'other', String(outcome)] as const);
  return (
    <Badge tone={tone} icon={icon}>
      {word}
    </Badge>
  );
}
