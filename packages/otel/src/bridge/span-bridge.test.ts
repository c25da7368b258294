import { readFileSync } from 'node:fs';
import { HookMeta, type HookRecord, Hub, NdjsonParser } from '@hermes-observer/core';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { SCOPE_NAME, SCOPE_SCHEMA_URL, SCOPE_VERSION } from './scope.js';
import { SpanBridge } from './span-bridge.js';
import { type DumpedSpan, DumpProcessor, dumpSpan, Replay, replay } from './span-dump.test-support.js';

const RECORDINGS = [
  '0.22.2/n-delegate-nested-sync.ndjson',
  '0.22.2/h-provider-fallback.ndjson',
  '0.22.2/q-two-turns-then-close-and-new.ndjson',
  '0.22.2/s-background-review-tui.ndjson',
  '0.22.2/p7-smart-approval-escalated-tui.ndjson',
];

function read(name: string): HookRecord[] {
  const parser = new NdjsonParser();
  const bytes = readFileSync(new URL(`../../../../conformance/recordings/${name}`, import.meta.url));
  return [...parser.push(bytes), ...parser.end()];
}

/** A dump whose ids are replaced by what they point at, so that two dumps with different ids can be compared. */
function withoutIds(spans: readonly DumpedSpan[]): unknown[] {
  const label = (trace: string, id: string | undefined) => {
    const at = spans.findIndex((span) => span.trace === trace && span.id === id);
    return id === undefined ? undefined : at < 0 ? `outside: ${trace}/${id}` : at;
  };
  const traces = [...new Set(spans.map(({ trace }) => trace))];
  return spans.map(({ trace, id: _, parent, links, ...rest }) => ({
    ...rest,
    trace: traces.indexOf(trace),
    parent: label(trace, parent),
    links: links.map((link) => ({ to: label(link.trace, link.id), attributes: link.attributes })),
  }));
}

describe('the same recording through our provider and through the SDK’s', () => {
  it.each(RECORDINGS)('gives the same tree, only the ids differ: %s', (name) => {
    const records = read(name);
    for (const capture of ['none', 'full'] as const) {
      const ours = replay(records, { capture }).spans;
      const processor = new DumpProcessor();
      const bridge = new SpanBridge({
        tracerProvider: new BasicTracerProvider({ spanProcessors: [processor] }),
        capture,
      });
      for (const record of records) bridge.handleRecord(record);
      bridge.closeAll();
      const theirs = processor.ended.map(dumpSpan);
      expect(ours.length).toBeGreaterThan(2);
      expect(withoutIds(theirs)).toEqual(withoutIds(ours));
      expect(theirs.some(({ id }) => ours.some((span) => span.id === id))).toBe(false);
    }
  });
});

describe('our provider', () => {
  it('gives the same ids each time', () => {
    const records = read(RECORDINGS[0] ?? '');
    expect(replay(records).spans).toEqual(replay(records).spans);
  });
});

describe('attach', () => {
  const emitTurn = (hub: Hub) => {
    hub.emit('pre_llm_call', { turn_id: 't', session_id: 's' });
    hub.emit('pre_tool_call', () => ({ turn_id: 't', tool_call_id: 'c', tool_name: 'read_file' }));
    hub.emit('post_tool_call', { turn_id: 't', tool_call_id: 'c', tool_name: 'read_file', status: 'ok' });
    hub.emit('on_session_end', { turn_id: 't', session_id: 's', completed: true });
  };

  it('takes every hook of a hub', () => {
    const run = new Replay();
    const hub = new Hub({ producer: 'p' });
    run.bridge.attach(hub);
    emitTurn(hub);
    expect(run.spans.map(({ name }) => name)).toEqual(['execute_tool read_file', 'invoke_agent hermes']);
    expect(run.spans[1]?.attributes['hermes.producer']).toBe('p');
    expect(run.bridge.stats).toMatchObject({ records: 4, duplicates: 0, missing: 0 });
  });

  it('ends with the function it returns', () => {
    const run = new Replay();
    const hub = new Hub();
    const detach = run.bridge.attach(hub);
    hub.emit('pre_llm_call', { turn_id: 't' });
    detach();
    hub.emit('pre_llm_call', { turn_id: 'u' });
    run.bridge.closeAll();
    expect(run.spans.length).toBe(1);
    expect(hub.has('pre_llm_call')).toBe(false);
  });

  it('lets the hub count a record that comes twice as one', () => {
    const run = new Replay();
    const hub = new Hub();
    run.bridge.attach(hub);
    for (let i = 0; i < 2; i++) hub.emit('pre_tool_call', { tool_name: 'x' }, { producer: 'q', seq: 7, time: [1, 0] });
    expect(run.bridge.stats.duplicates).toBe(1);
    expect(run.bridge.openSpans).toBe(1);
  });
});

describe('a bridge', () => {
  it('writes in the scope of the package, whose version it has', () => {
    const processor = new DumpProcessor();
    const bridge = new SpanBridge({ tracerProvider: new BasicTracerProvider({ spanProcessors: [processor] }) });
    bridge.handle({ turn_id: 't' }, new HookMeta('pre_llm_call', [1, 0]));
    bridge.closeAll();
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(processor.ended[0]?.instrumentationScope).toEqual({
      name: SCOPE_NAME,
      version: SCOPE_VERSION,
      schemaUrl: SCOPE_SCHEMA_URL,
    });
    expect([SCOPE_NAME, SCOPE_VERSION]).toEqual([manifest.name, manifest.version]);
  });

  it('shows what is open', () => {
    const { bridge } = new Replay();
    bridge.handle({ turn_id: 't', tool_call_id: 'c' }, new HookMeta('pre_tool_call', [1, 0]));
    expect([bridge.openSpans, bridge.openTraces]).toEqual([2, 1]);
    bridge.closeAll('producer_lost');
    expect([bridge.openSpans, bridge.openTraces]).toEqual([0, 0]);
  });

  it('passes its limits on', () => {
    const { bridge } = new Replay({ limits: { maxOpenTraces: 1 } });
    for (const turn_id of ['a', 'b']) bridge.handle({ turn_id }, new HookMeta('pre_llm_call', [1, 0]));
    expect([bridge.openTraces, bridge.stats.closedByTraceLimit]).toEqual([1, 1]);
  });
});
