import { createObserver } from '@hermes-observer/otel';
import { expect, it } from 'vitest';
import { instrumentClaude, observedQuery, withObserver } from './index.js';

const observer = createObserver({ exporters: [], env: {} });
const query = () => ({});
const refusal = (text: string) =>
  expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(text) });

it.each<[unknown, string]>([
  [observer, 'options are an observer; pass { observer }'],
  [{ observr: observer }, 'there is no option observr'],
  [{ observer: null }, 'observer must be an observer'],
  [{ observer: {} }, 'observer must be an observer'],
  [{ observer, frameworkSpans: 'foo' }, 'frameworkSpans is "foo"; use warn, keep or yield'],
  [{ observer, onWarning: 'x' }, 'onWarning must be a function'],
  [{ observer, partialMessages: 1 }, 'partialMessages must be a boolean'],
  [{ observer, traceContext: 'on' }, 'traceContext must be a boolean'],
])('wrong options are refused: %#', (options, text) => {
  expect(() => observedQuery(query, options as never)).toThrow(refusal(`observedQuery: ${text}`));
  expect(() => instrumentClaude({ query }, options as never)).toThrow(refusal(`instrumentClaude: ${text}`));
  expect(() => withObserver({}, options as never)).toThrow(refusal(`withObserver: ${text}`));
});

it('what is no query, no module, or not options of a query is refused', () => {
  for (const wrong of [undefined, null, { query }, observer])
    expect(() => observedQuery(wrong as never, { observer })).toThrow(
      refusal('observedQuery: query must be a function'),
    );
  for (const wrong of [undefined, null, {}, query, observer])
    expect(() => instrumentClaude(wrong as never, { observer })).toThrow(refusal('instrumentClaude: sdk has no query'));
  for (const wrong of [observer, { observer }])
    expect(() => withObserver(wrong)).toThrow(refusal('withObserver: pass the options of query first'));
});

it('a startup alone, as @hermes-observer/auto gives it, is observed', () => {
  const startup = async () => ({});
  expect(instrumentClaude({ startup }, { observer }).startup).not.toBe(startup);
});
