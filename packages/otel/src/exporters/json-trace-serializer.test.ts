import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { expect, it } from 'vitest';
import { loadJsonTraceSerializer } from './json-trace-serializer.js';

it('loads the serializer of the peer', () => {
  expect(typeof loadJsonTraceSerializer().serializeRequest).toBe('function');
  expect(Object.keys(loadJsonTraceSerializer())).toEqual(Object.keys(JsonTraceSerializer));
});

it('names the package to install where it is missing', () => {
  const elsewhere = join(mkdtempSync(join(tmpdir(), 'no-peer-')), 'module.js');
  expect(() => loadJsonTraceSerializer(elsewhere)).toThrowError(
    expect.objectContaining({
      code: 'HO_PEER_MISSING',
      message: expect.stringContaining('npm install @opentelemetry/otlp-transformer'),
    }),
  );
});
