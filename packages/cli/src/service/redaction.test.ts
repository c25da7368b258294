import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ServiceOptions } from './options.js';
import { batch, recording, Scene, until } from './scene.test-support.js';
import { Sink } from './sink.test-support.js';

const KEY = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
const LINES = recording('b-two-sequential-tools').map((line) =>
  line.replaceAll('Sweep the garden path', `Sweep ${KEY}`),
);

let scene: Scene;
let sink: Sink;
beforeEach(async () => {
  scene = new Scene();
  sink = await new Sink().open();
});
afterEach(async () => {
  await scene.end();
  await sink.close();
});

async function sentWith(options: Partial<ServiceOptions>): Promise<string> {
  const service = await scene.open({
    capture: 'full',
    exporters: [{ kind: 'http', name: 'sink', url: sink.url }],
    ...options,
  });
  await service.take(batch(LINES));
  await until(() => sink.spans.size > 3);
  return sink.sorted().join('\n');
}

it('redacts spans on their way to a spool, and counts what it redacted', async () => {
  expect(await sentWith({ redaction: {} })).not.toContain(KEY);
  const redacted = scene.service?.counts().filter(({ name }) => name === 'redacted_values') ?? [];
  expect(redacted.find(({ labels }) => labels?.kind === 'api_key')?.value).toBeGreaterThan(0);
});

it('leaves spans alone where nobody asked', async () => {
  expect(await sentWith({})).toContain(KEY);
  expect(scene.service?.counts().some(({ name }) => name === 'redacted_values')).toBe(false);
});

it('hashes with a salt alone: a span that is made again has to be the same', async () => {
  await expect(scene.open({ redaction: { mode: 'hash' } })).rejects.toThrow(/redaction\.salt/);
  const sent = await sentWith({ redaction: { mode: 'hash', salt: 'a salt of this test' } });
  expect(sent).toMatch(/\[redacted:api_key:[0-9a-f]{12}\]/);
});
