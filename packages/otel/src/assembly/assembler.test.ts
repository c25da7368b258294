import { readdirSync, readFileSync } from 'node:fs';
import { HookMeta } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { Assembler } from './assembler.js';
import { RecordingSink } from './recording-sink.test-support.js';
import { Scene } from './scene.test-support.js';

const folder = new URL('.', import.meta.url);
const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !/\.(test|test-support)\.ts$/.test(name));

describe('assembly is pure', () => {
  it('has files to look at', () => expect(sources.length).toBeGreaterThan(15));

  it.each(sources)('%s knows no OpenTelemetry, no clock and no timer', (name) => {
    const text = readFileSync(new URL(name, folder), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    expect(text).not.toMatch(
      /@opentelemetry|'node:|\bDate\b|\bperformance\b|\bset(Timeout|Interval|Immediate)\b|\bprocess\.|Math\.random/,
    );
    expect(text).not.toMatch(/from '\.\.\//);
  });
});

describe('an assembler', () => {
  it('takes a record as it stands in a recording', () => {
    const sink = new RecordingSink();
    const assembler = new Assembler(sink);
    assembler.handleRecord({ hook: 'pre_llm_call', time_unix_nano: '1764450000000000001', payload: { turn_id: 't' } });
    expect(sink.started[0]?.start).toEqual([1_764_450_000, 1]);
  });

  it.each([
    ['yesterday', [0, 1]],
    ['0', [0, 1]],
    ['18446744074000000000', [18_446_744_072, 999_999_999]],
    ['18446744072999999999', [18_446_744_072, 999_999_999]],
  ])('takes the nearest time that OTLP has for %s', (time_unix_nano, start) => {
    const sink = new RecordingSink();
    new Assembler(sink).handleRecord({ hook: 'pre_llm_call', time_unix_nano, payload: { turn_id: 't' } });
    expect(sink.started[0]?.start).toEqual(start);
  });

  it('counts records, and gives a copy of its counts', () => {
    const scene = new Scene().at(1, 'observer_hello').at(2, 'a_hook_of_tomorrow');
    const { stats } = scene;
    scene.at(3, 'observer_hello');
    expect([stats.records, scene.stats.records]).toEqual([2, 3]);
  });

  it('reads a safe copy of a payload that throws when it is read', () => {
    const payload = new Proxy({ turn_id: 't', model: 'm' } as Record<string, unknown>, {
      get(target, key) {
        if (key === 'session_id') throw new Error('hostile');
        return Reflect.get(target, key);
      },
    });
    const sink = new RecordingSink();
    const assembler = new Assembler(sink);
    assembler.handle(payload, new HookMeta('pre_llm_call', [1, 0]));
    expect(sink.started).toHaveLength(1);
    expect(assembler.stats.faults).toBe(0);
  });

  it.each([
    ['a function', () => {}],
    ['an object', new Date(0)],
    ['a symbol', Symbol('t')],
    ['a very long one', 't'.repeat(300_000)],
  ])('what stands in the safe copy for %s is no id: the same span is read on', (_, id) => {
    const payload = Object.defineProperty({ turn_id: id, tool_call_id: 'c', session_id: id }, 'status', {
      enumerable: true,
      get: () => {
        throw new Error('hostile');
      },
    });
    const scene = new Scene();
    scene
      .at(1, 'post_tool_call', payload)
      .at(2, 'pre_llm_call', { turn_id: typeof id === 'string' ? id : 't' })
      .close();
    expect(scene.sink.started.map(({ kind }) => kind).sort()).toEqual(['tool', 'turn']);
  });

  it.each([undefined, null, {}, { hook: 'pre_llm_call', time: 'x', producer: 5, seq: Number.NaN }])(
    'never throws, whatever it is given as meta: %j',
    (meta) => {
      const assembler = new Assembler(new RecordingSink());
      expect(() => assembler.handle({ turn_id: 't' }, meta as never)).not.toThrow();
      expect(() => assembler.closeAll()).not.toThrow();
    },
  );

  it.each([undefined, null, 'text', 7, [], { payload: null }])(
    'never throws, whatever it is given as a record: %j',
    (record) => {
      const assembler = new Assembler(new RecordingSink());
      expect(() => assembler.handleRecord(record as never)).not.toThrow();
    },
  );

  it.each(['start', 'update', 'end'] as const)(
    'lets nothing of a sink that breaks its word reach the agent: %s',
    (method) => {
      const sink = new RecordingSink();
      sink[method] = () => {
        throw new Error('sink');
      };
      const assembler = new Assembler(sink);
      const give = (hook: string) => assembler.handle({ turn_id: 't' }, new HookMeta(hook, [1, 0]));
      for (const hook of ['pre_llm_call', 'pre_llm_call', 'pre_tool_call', 'post_tool_call', 'on_session_end']) {
        expect(() => give(hook)).not.toThrow();
      }
    },
  );
});
