import { afterEach, expect, it } from 'vitest';
import { closeWhenDone } from './close-when-done.js';

/** An observer that writes down what it is asked for. */
class Asked {
  readonly calls: string[] = [];
  waiting = 0;
  isSilent = false;
  counts = { exportedSpans: 0, failedSpans: 0, leftOutSpans: 0, droppedSpans: 0 } as never;
  async flush(millis = 0): Promise<void> {
    this.calls.push('flush');
    if (this.isSilent) await new Promise((resolve) => setTimeout(resolve, millis));
    const { exportedSpans } = this.counts as { exportedSpans: number };
    this.counts = { ...(this.counts as object), exportedSpans: exportedSpans + this.waiting } as never;
    this.waiting = 0;
  }
  async shutdown(millis?: number): Promise<void> {
    this.calls.push(`shutdown ${millis}`);
  }
}

const before = process.listeners('beforeExit');
afterEach(() => {
  for (const listener of process.listeners('beforeExit'))
    if (!before.includes(listener)) process.removeListener('beforeExit', listener);
});

/** Has the program have nothing left to do. */
async function ends(): Promise<void> {
  for (const listener of process.listeners('beforeExit'))
    if (!before.includes(listener)) Reflect.apply(listener, process, [0]);
  await new Promise((resolve) => setImmediate(resolve));
}

it('closes when nothing came since it was last asked', async () => {
  const observer = new Asked();
  closeWhenDone(observer);
  observer.waiting = 2;
  await ends();
  observer.waiting = 1;
  await ends();
  expect(observer.calls).toEqual(['flush', 'flush']);
  await ends();
  expect(observer.calls).toEqual(['flush', 'flush', 'flush', 'shutdown 2000']);
  await ends();
  expect(observer.calls).toHaveLength(4);
});

it('closes at once when nobody answers', async () => {
  const observer = new Asked();
  observer.isSilent = true;
  closeWhenDone(observer);
  await ends();
  await ends();
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  expect(observer.calls).toEqual(['flush', 'shutdown 0']);
});
