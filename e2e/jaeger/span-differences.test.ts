import { expect, it } from 'vitest';
import { otlpTrace } from './otlp-trace.test-support.js';
import { spanDifferences } from './span-differences.js';
import { spanFacts } from './span-facts.js';

const sent = spanFacts(otlpTrace());
const [turn, tool] = sent;

it('sees no difference in how the same span is written', () => {
  const read = otlpTrace({
    attributes: [
      { key: 'hermes.tool.duration_ms', value: { intValue: '500' } },
      { key: 'gen_ai.tool.name', value: { stringValue: 'terminal' } },
      { key: 'gen_ai.operation.name', value: { stringValue: 'execute_tool' } },
    ],
    links: [],
    droppedEventsCount: 0,
  });
  expect(spanDifferences(sent, spanFacts(read).reverse())).toEqual([]);
});

const titled = (fault: string) => [`${tool?.traceId}/${tool?.spanId} execute_tool terminal: ${fault}`];

it.each([
  ['name', { name: 'x' }, 'name: sent execute_tool terminal, read x'],
  ['kind', { kind: 3 }, 'kind: sent 1, read 3'],
  ['parent', { parentSpanId: '' }, 'parentSpanId: sent 00000000000000a1, read '],
  ['end', { endTimeUnixNano: '1700000001000000001' }, 'end: sent 1700000001000000000, read 1700000001000000001'],
  ['status', { status: { code: 2 } }, 'status: sent 2 tool_error, read 2 '],
  ['flags', { flags: 257 }, 'flags: sent 0, read 257'],
  ['dropped', { droppedLinksCount: 1 }, 'dropped: sent 0 0 0, read 0 0 1'],
])('sees another %s', (_, change, fault) => {
  expect(spanDifferences(sent, spanFacts(otlpTrace(change)))).toEqual(titled(fault));
});

it('sees an attribute that is missing, new, or of another type', () => {
  const attributes = [
    { key: 'gen_ai.operation.name', value: { stringValue: 'execute_tool' } },
    { key: 'hermes.tool.duration_ms', value: { stringValue: '500' } },
    { key: 'x', value: { arrayValue: { values: [{ boolValue: true }, { doubleValue: 1.5 }] } } },
  ];
  expect(spanDifferences(sent, spanFacts(otlpTrace({ attributes })))).toEqual(
    [
      'attributes.gen_ai.tool.name: sent "terminal", read undefined',
      'attributes.hermes.tool.duration_ms: sent int 500, read "500"',
      'attributes.x: sent undefined, read [bool true, double 1.5]',
    ].flatMap(titled),
  );
});

it('sees an event that is missing or at another place, and a link', () => {
  const [first, second] = otlpTrace().resourceSpans?.[0]?.scopeSpans?.[0]?.spans?.[1]?.events ?? [];
  if (first === undefined || second === undefined) throw new Error('no events');
  expect(spanDifferences(sent, spanFacts(otlpTrace({ events: [first] })))).toHaveLength(1);
  expect(spanDifferences(sent, spanFacts(otlpTrace({ events: [second, first] })))).toHaveLength(2);
  const links = [{ traceId: turn?.traceId ?? '', spanId: '00000000000000fe' }];
  expect(spanDifferences(sent, spanFacts(otlpTrace({ links })))).toHaveLength(1);
});

it('sees a span that is missing, there twice, or from elsewhere', () => {
  if (turn === undefined || tool === undefined) throw new Error('no spans');
  expect(spanDifferences(sent, [turn])).toEqual(titled('is missing'));
  expect(spanDifferences(sent, [turn, tool, tool])).toEqual(titled('is there twice'));
  expect(spanDifferences([turn], sent)).toEqual(titled('was not sent'));
  const elsewhere = { ...tool, resource: { 'service.name': '"other"' }, scope: {} };
  expect(spanDifferences([turn, elsewhere], sent)).toEqual(
    [
      'resource.service.name: sent "other", read "hermes-agent"',
      'scope.name: sent undefined, read ours',
      'scope.version: sent undefined, read ',
    ].flatMap(titled),
  );
});
