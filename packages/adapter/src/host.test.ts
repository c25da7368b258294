import { expect, it, vi } from 'vitest';
import { sharedObserver } from './host.js';

it('the shared observer is one for the process, also for another copy of this module', async () => {
  vi.stubEnv('OTEL_TRACES_EXPORTER', 'none');
  const observer = sharedObserver();
  vi.resetModules();
  const copy = await import('./host.js');
  expect(copy.sharedObserver).not.toBe(sharedObserver);
  expect(copy.sharedObserver()).toBe(observer);
  await observer.shutdown();
  vi.unstubAllEnvs();
});
