import { expect, it } from 'vitest';
import { sharedObserver } from './host.js';

it('the shared observer is one for the process, also for another copy of this module', async () => {
  process.env.OTEL_TRACES_EXPORTER = 'none';
  const observer = sharedObserver();
  const copy: typeof import('./host.js') = await import(/* @vite-ignore */ './host.js?copy' as string);
  expect(copy.sharedObserver).not.toBe(sharedObserver);
  expect(copy.sharedObserver()).toBe(observer);
  await observer.shutdown();
});
