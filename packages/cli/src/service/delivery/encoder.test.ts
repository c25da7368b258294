import { createResource, type ReadableSpan } from '@hermes-observer/otel';
import { genAiProfile, langfuseProfile, openInferenceProfile } from '@hermes-observer/profiles';
import { describe, expect, it } from 'vitest';
import type { ExportTarget } from '../options.js';
import { Encoder } from './encoder.js';

const context = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };

const span = (attributes: ReadableSpan['attributes']): ReadableSpan => ({
  name: 'chat m',
  kind: 2,
  spanContext: () => context,
  startTime: [1_700_000_000, 0],
  endTime: [1_700_000_001, 0],
  status: { code: 0 },
  attributes,
  links: [],
  events: [],
  duration: [1, 0],
  ended: true,
  resource: createResource({ 'service.name': 's' }),
  instrumentationScope: { name: 'scope' },
  droppedAttributesCount: 0,
  droppedEventsCount: 0,
  droppedLinksCount: 0,
});

const CHAT = { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.cache_creation.input_tokens': 4 };
const http = (name: string, more: object = {}): ExportTarget => ({
  kind: 'http',
  name,
  url: 'http://x/v1/traces',
  ...more,
});
const text = (bodies: readonly { readonly body: Uint8Array }[]) =>
  bodies.map(({ body }) => Buffer.from(body).toString()).join('\n');

describe('spans for several targets', () => {
  it('have the names of each, made once for those that want the same', () => {
    const langfuse = [langfuseProfile()];
    const encoder = new Encoder([
      http('plain'),
      http('langfuse', { profiles: langfuse }),
      http('again', { profiles: langfuse }),
      http('small', { profiles: langfuse, maxRequestBytes: 1000 }),
      http('newer', { profiles: [genAiProfile({ version: '0.1.0' })] }),
    ]);
    const encoded = encoder.encode([span(CHAT)]);
    expect(text(encoded('plain'))).not.toContain('langfuse');
    expect(text(encoded('langfuse'))).toContain('langfuse.observation.type');
    expect(encoded('again')).toBe(encoded('langfuse'));
    expect(encoded('small')).not.toBe(encoded('langfuse'));
    expect(text(encoded('newer'))).toContain('cache_write');
    expect(text(encoded('newer'))).not.toContain('cache_creation');
  });

  it('are in requests of the size that a target takes', () => {
    const encoder = new Encoder([http('all'), http('some', { maxRequestBytes: 2_000 })]);
    const encoded = encoder.encode(Array.from({ length: 20 }, () => span({ ...CHAT, text: 'x'.repeat(500) })));
    expect(encoded('all')).toHaveLength(1);
    expect(encoded('some').length).toBeGreaterThan(5);
    for (const { body } of encoded('some')) expect(body.length).toBeLessThanOrEqual(2_000);
    expect(encoded('some').reduce((sum, { spans }) => sum + spans, 0)).toBe(20);
  });

  it('go as they are where a profile cannot read them, and what it left out is counted', () => {
    const encoder = new Encoder([http('plain'), http('phoenix', { profiles: [openInferenceProfile()] })]);
    const messages = Array.from({ length: 100 }, (_, i) => ({
      role: 'user',
      parts: [{ type: 'text', content: `${i}` }],
    }));
    let reads = 0;
    const bad = new Proxy(span(CHAT), {
      // Once for the profile; whoever writes it comes later.
      get: (target, name) => {
        if (name === 'attributes' && reads++ === 0) throw new Error('no');
        return Reflect.get(target, name);
      },
    });
    const encoded = encoder.encode([bad, span({ ...CHAT, 'gen_ai.input.messages': JSON.stringify(messages) })]);
    expect(encoded('phoenix').reduce((sum, { spans }) => sum + spans, 0)).toBe(2);
    const counts = Object.fromEntries(encoder.counts().map(({ name, value }) => [name, value]));
    expect(counts).toMatchObject({ unwritable_spans: 0, unmapped_spans: 1 });
    expect(counts.left_out_attributes).toBeGreaterThan(50);
  });
});
