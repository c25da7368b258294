import { expect, it } from 'vitest';
import { settingsOf } from './settings.js';

const of = (env: Record<string, string>) => settingsOf(env, ['ai-sdk', 'langchain', 'clients']);

it('without variables all is observed', () => {
  expect(of({})).toEqual({
    mode: 'on',
    only: undefined,
    without: new Set(),
    untested: false,
    signals: false,
    unknown: [],
  });
});

it('frameworks are chosen, and left out', () => {
  const { only, without } = of({ HERMES_OBSERVER_AUTO_FRAMEWORKS: 'AI-SDK, langchain,-clients,' });
  expect(only).toEqual(new Set(['ai-sdk', 'langchain']));
  expect(without).toEqual(new Set(['clients']));
  expect(of({ HERMES_OBSERVER_AUTO_FRAMEWORKS: '-clients' }).only).toBeUndefined();
});

it('words that mean nothing are named, and change nothing', () => {
  const { unknown, ...settings } = of({
    HERMES_OBSERVER_AUTO: 'loud',
    HERMES_OBSERVER_AUTO_FRAMEWORKS: 'lanchain',
    HERMES_OBSERVER_AUTO_UNTESTED: '1',
    HERMES_OBSERVER_AUTO_SIGNALS: 'true',
  });
  expect(unknown).toEqual([
    'HERMES_OBSERVER_AUTO_FRAMEWORKS: lanchain (ai-sdk, langchain, clients)',
    'HERMES_OBSERVER_AUTO=loud (on, quiet, off)',
    'HERMES_OBSERVER_AUTO_UNTESTED=1 (on, off)',
    'HERMES_OBSERVER_AUTO_SIGNALS=true (on, off)',
  ]);
  expect({ ...settings, unknown: [] }).toEqual(of({}));
});

it('is off where OpenTelemetry is', () => {
  expect(of({ OTEL_SDK_DISABLED: 'True' }).mode).toBe('off');
  expect(of({ HERMES_OBSERVER_AUTO: 'OFF' }).mode).toBe('off');
});
