import { type OpenSignals, openSignals, type SignalSettings } from '@hermes-observer/signals';
import { expect, expectTypeOf, it } from 'vitest';
import type { SignalSettings as GivenSettings, Signals } from '../packages/otel/src/observer/signals.js';

// `createObserver` knows the package of metrics and logs by its name and by an interface of its own; `npm run typecheck` compares.
it('the package of metrics and logs has the shape that the observer expects', () => {
  expectTypeOf<OpenSignals>().toExtend<Signals>();
  expectTypeOf<GivenSettings>().toExtend<SignalSettings>();
  expect(openSignals).toBeTypeOf('function');
});
