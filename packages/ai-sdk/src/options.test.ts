import { createObserver } from '@hermes-observer/otel';
import { expect, it } from 'vitest';
import { instrumentAiSdk } from './instrument.js';

it('refuses wrong options, and an observer in their place', () => {
  const observer = createObserver({ exporters: [], env: {} });
  const refusal = (text: string) =>
    expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(text) });
  for (const [options, text] of [
    [observer, 'instrumentAiSdk: options are an observer; pass { observer }'],
    [{ observr: observer }, 'instrumentAiSdk: there is no option observr'],
    [{ observer: null }, 'observer must be an observer'],
    [{ observer: {} }, 'observer must be an observer'],
    [{ observer, frameworkSpans: 'foo' }, 'frameworkSpans is "foo"'],
    [{ observer, onWarning: 'x' }, 'onWarning must be a function'],
    [{ observer, sessionKey: 5 }, 'sessionKey must be a string'],
  ] as [never, string][])
    expect(() => instrumentAiSdk(options)).toThrow(refusal(text));
});
