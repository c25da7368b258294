import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.js';

/** How a thing stands: the colour, never without a word. */
export type Tone = 'bad' | 'blocked' | 'calm' | 'good' | 'live' | 'warn' | 'human';

/** An icon, a word and a colour. */
export function Badge(props: { tone: Tone; icon: IconName; children: ComponentChildren }) {
  return (
    <span class={`badge tone-${props.tone}`}>
      <Icon name={props.icon} class={props.icon === 'running' ? 'turning' : ''} />
      <span>{props.children}</span>
    </span>
  );
}
