import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { wantsLittleMotion } from './media.js';

const now = signal(Date.now());
let watchers = 0;
let isGoing = false;

function tick(): void {
  if (watchers === 0 || document.hidden) {
    isGoing = false;
    return;
  }
  now.value = Date.now();
  if (wantsLittleMotion.peek()) setTimeout(tick, 1000);
  else requestAnimationFrame(tick);
}

function go(): void {
  if (isGoing || watchers === 0) return;
  isGoing = true;
  tick();
}
document.addEventListener('visibilitychange', go);

/**
 * Unix milliseconds, each frame while something that uses it is shown; once a second where little motion is wanted.
 * @param isUsed false for what does not move
 */
export function useClock(isUsed = true): ReadonlySignal<number> {
  useEffect(() => {
    if (!isUsed) return;
    watchers++;
    go();
    return () => {
      watchers--;
    };
  }, [isUsed]);
  return now;
}
