import { HookMeta, Hub, NdjsonParser, type Payload } from '@hermes-observer/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Replay, treeFaults } from '../bridge/span-dump.test-support.js';
import { FC_SEED, records, runs } from './record-stream.test-support.js';

const HOOKS = [
  'pre_llm_call',
  'pre_api_request',
  'api_request_error',
  'post_api_request',
  'pre_tool_call',
  'post_tool_call',
];
const MORE = [
  'pre_approval_request',
  'post_approval_response',
  'subagent_start',
  'subagent_stop',
  'on_human_input_request',
];
const REST = [
  'on_session_end',
  'observer_closed',
  'observer_policy_decision',
  'pre_auxiliary_call',
  'post_auxiliary_call',
];
const hook = fc.constantFrom(...HOOKS, ...MORE, ...REST, 'anything');

const FIELDS = [
  ...[
    'turn_id',
    'session_id',
    'tool_call_id',
    'status',
    'usage',
    'error',
    'error_message',
    'result',
    'args',
    'base_url',
  ],
  ...['request', 'response', 'request_messages', 'reason', 'tool_name', 'model', 'child_session_id', 'user_message'],
];

function deep(depth: number): unknown {
  let value: unknown = 'bottom';
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? { value } : [value];
  return value;
}

function circle(): unknown {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

const throws = () => {
  throw new Error('hostile');
};
/** Everything that is done to it throws. */
const trapped = () => new Proxy({}, new Proxy({}, { get: () => throws }));

const hostile: fc.Arbitrary<() => unknown> = fc.constantFrom<() => unknown>(
  () => deep(100_000),
  () => 'x'.repeat(1_000_000),
  () => '😀\ud800'.repeat(1000),
  () => trapped(),
  circle,
  () => 10n ** 40n,
  () => Symbol('s'),
  () => throws,
  () => new Date(Number.NaN),
  () => new Map([[{}, trapped()]]),
  () => Object.create(null, { toString: { get: throws }, toJSON: { get: throws } }),
  () => new Error('\ud800'),
  () => Promise.resolve(),
);
type Make = () => unknown;
/** Recipes, not values: what generates values looks into them. */
const recipe: fc.Arbitrary<Make> = fc.oneof(
  { weight: 4, arbitrary: hostile },
  {
    weight: 3,
    arbitrary: fc
      .anything({ withBigInt: true, withMap: true, withNullPrototype: true, withSparseArray: true })
      .map((made) => () => made),
  },
  { weight: 3, arbitrary: fc.constantFrom('t', 's', 'c', 'error', 'ok').map((made) => () => made) },
);

/** A value, or an object whose fields are hostile, some of them only when they are read. */
const payload: fc.Arbitrary<Make> = fc.oneof(
  { weight: 1, arbitrary: recipe },
  {
    weight: 5,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom(...FIELDS), recipe, fc.nat({ max: 4 })), { maxLength: 8 })
      .map((fields) => () => {
        const made: Record<string, unknown> = { turn_id: 't', tool_call_id: 'c' };
        for (const [name, make, kind] of fields) {
          const field = kind > 0 ? { value: make() } : { get: throws };
          Object.defineProperty(made, name, { enumerable: true, configurable: true, ...field });
        }
        return made;
      }),
  },
);

const calls = fc.array(fc.tuple(hook, payload), { minLength: 1, maxLength: 12 });

describe(`no input makes anything throw (FC_SEED=${FC_SEED})`, () => {
  it.each(['none', 'redacted', 'full'] as const)(
    'neither Hub.emit nor Assembler.handle, and all spans end: capture %s',
    (capture) => {
      fc.assert(
        fc.property(calls, (list) => {
          const errors: unknown[] = [];
          const run = new Replay({ capture, onError: (error) => errors.push(error) });
          const hub = new Hub({ producer: 'p', onError: () => {} });
          run.bridge.attach(hub);
          for (const [name, make] of list) hub.emit(name, make() as Payload);
          list.forEach(([name, make], i) => {
            run.bridge.handle(make() as Payload, new HookMeta(name, [i + 1, 0], 'q', i + 1));
          });
          run.bridge.closeAll();
          expect(treeFaults(run)).toEqual([]);
          expect(hub.stats.failures.observer).toBe(0);
        }),
        runs(60),
      );
    },
  );

  it('nor a payload function, nor hostile meta', () => {
    const hub = new Hub({ producer: 'p', onError: () => {} });
    const run = new Replay();
    run.bridge.attach(hub);
    hub.emit('pre_llm_call', throws as never);
    hub.emit('pre_llm_call', { turn_id: 't' }, trapped() as never);
    hub.emit('pre_llm_call', { turn_id: 't' }, {
      time: 'x',
      seq: Number.NaN,
      traceContext: trapped(),
      profile: 7,
    } as never);
    run.bridge.closeAll();
    expect(treeFaults(run)).toEqual([]);
  });

  it('not one field of any record that throws when it is read: the trees stay whole, and no record is lost', () => {
    fc.assert(
      fc.property(records('A'), fc.nat(), fc.nat(), (stream, which, field) => {
        const run = new Replay({ capture: 'full' });
        stream.forEach((record, i) => {
          const content = { ...record.payload };
          const keys = Object.keys(content);
          const key = keys[field % Math.max(1, keys.length)];
          if (i === which % stream.length && key !== undefined) {
            Object.defineProperty(content, key, { enumerable: true, get: throws });
          }
          run.bridge.handleRecord({ ...record, payload: content });
        });
        run.bridge.closeAll();
        expect(treeFaults(run)).toEqual([]);
      }),
      runs(150),
    );
  });
});

describe(`the reader of recordings (FC_SEED=${FC_SEED})`, () => {
  const line = fc.oneof(
    fc.json().map((text) => `${text}\n`),
    fc
      .record({ hook: fc.anything(), time_unix_nano: fc.anything(), payload: fc.object() })
      .map((made) => `${safeJson(made)}\n`),
    fc.constant(`{"hook":"x","time_unix_nano":"1","payload":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}\n`),
    fc.constant(`{"hook":"pre_llm_call","time_unix_nano":"1","payload":{"turn_id":"${'t'.repeat(1_000_000)}"}}\n`),
  );

  it('takes arbitrary bytes, cut anywhere, and so does what it feeds', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      line.map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 8 }), fc.nat(), (chunks, cut) => {
        const parser = new NdjsonParser();
        const run = new Replay({ capture: 'full' });
        for (const chunk of chunks) {
          const at = cut % (chunk.length + 1);
          for (const part of [chunk.subarray(0, at), chunk.subarray(at)]) {
            for (const record of parser.push(part)) run.bridge.handleRecord(record);
          }
        }
        for (const record of parser.end()) run.bridge.handleRecord(record);
        run.bridge.closeAll();
        expect(treeFaults(run)).toEqual([]);
      }),
      runs(150),
    );
  });
});

function safeJson(made: unknown): string {
  try {
    return JSON.stringify(made) ?? '';
  } catch {
    return '{';
  }
}
