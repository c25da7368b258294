import { useState } from 'preact/hooks';
import { Icon } from './icon.js';

/** Copies a text, which is made when it is asked for. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setState('done');
    } catch {
      setState('failed');
    }
    setTimeout(() => setState('idle'), 2000);
  };
  const word = { idle: label, done: 'Copied', failed: 'Not allowed' }[state];
  return (
    <button type="button" onClick={copy}>
      <Icon name={state === 'done' ? 'check' : 'copy'} />
      <span aria-live="polite">{word}</span>
    </button>
  );
}
