import { ObserverError } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { callerOfProgram, exportersOf, isDisabled, resourceAttributes, samplerOf } from './environment.js';

const codeOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return ObserverError.isInstance(error) ? error.code : error;
  }
  return undefined;
};

describe('resource', () => {
  it('is read from OTEL_RESOURCE_ATTRIBUTES, and OTEL_SERVICE_NAME wins', () => {
    const env = {
      OTEL_RESOURCE_ATTRIBUTES: 'a=1, b = x%20y ,bad,=no,c=%zz,service.name=one',
      OTEL_SERVICE_NAME: 'two',
    };
    expect(resourceAttributes(env)).toEqual({ a: '1', b: 'x y', 'service.name': 'two' });
  });
});

describe('caller', () => {
  it('is TRACEPARENT with its companions', () => {
    expect(callerOfProgram({})).toBeUndefined();
    expect(callerOfProgram({ TRACEPARENT: '00-a', TRACESTATE: 'v=1', BAGGAGE: 'k=v' })).toEqual({
      traceparent: '00-a',
      tracestate: 'v=1',
      baggage: 'k=v',
    });
  });
});

describe('exporters', () => {
  it('are OTLP over HTTP when nothing is set', () => {
    expect(exportersOf({}).map((exporter) => exporter.constructor.name)).toEqual(['OtlpHttpExporter']);
  });

  it('are what OTEL_TRACES_EXPORTER names', () => {
    expect(exportersOf({ OTEL_TRACES_EXPORTER: 'none' })).toEqual([]);
    const names = exportersOf({ OTEL_TRACES_EXPORTER: 'console, otlp' }).map((exporter) => exporter.constructor.name);
    expect(names).toEqual(['ConsoleSpanExporter', 'OtlpHttpExporter']);
    expect(codeOf(() => exportersOf({ OTEL_TRACES_EXPORTER: 'zipkin' }))).toBe('HO_OPTION');
  });

  it('name the protocols there are', () => {
    expect(codeOf(() => exportersOf({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }))).toBe('HO_OPTION');
    for (const protocol of ['http/protobuf', 'http/json']) {
      expect(exportersOf({ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol })).toHaveLength(1);
    }
  });
});

describe('sampler', () => {
  it.each([
    ['always_on', 'AlwaysOnSampler'],
    ['always_off', 'AlwaysOffSampler'],
    ['traceidratio', 'TraceIdRatioBasedSampler'],
    ['parentbased_always_off', 'ParentBasedSampler'],
    ['parentbased_traceidratio', 'ParentBasedSampler'],
  ])('%s is %s', (name, type) => {
    expect(samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: '0.5' })?.constructor.name).toBe(type);
  });

  it('is the default where none is set, and an error where it is unknown', () => {
    expect(samplerOf({})).toBeUndefined();
    expect(samplerOf({ OTEL_TRACES_SAMPLER: 'parentbased_always_on' })).toBeUndefined();
    expect(codeOf(() => samplerOf({ OTEL_TRACES_SAMPLER: 'sometimes' }))).toBe('HO_OPTION');
    expect(codeOf(() => samplerOf({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }))).toBe(
      'HO_OPTION',
    );
  });
});

it('OTEL_SDK_DISABLED is read without regard to case', () => {
  expect([isDisabled({ OTEL_SDK_DISABLED: 'TRUE' }), isDisabled({ OTEL_SDK_DISABLED: '1' }), isDisabled({})]).toEqual([
    true,
    false,
    false,
  ]);
});
