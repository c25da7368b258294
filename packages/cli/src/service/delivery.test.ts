import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HttpTarget } from './options.js';
import { asAnother, batch, recording, replayed, Scene, until } from './scene.test-support.js';
import { type Reaction, Sink } from './sink.test-support.js';

let scene: Scene;
let sink: Sink;
let other: Sink;
beforeEach(async () => {
  scene = new Scene();
  sink = await new Sink().open();
  other = await new Sink().open();
});
afterEach(async () => {
  await scene.end();
  await sink.close();
  await other.close();
});

const target = (name: string, url: string, more: Partial<HttpTarget> = {}) =>
  ({ kind: 'http', name, url, timeoutMillis: 1_000, ...more }) as const;
const LINES = recording('n-delegate-nested-sync');
const answer =
  (status: number, headers: Record<string, string> = {}, times = Number.POSITIVE_INFINITY): Reaction =>
  (_, response) => {
    if (times-- <= 0) return undefined;
    response.writeHead(status, headers).end();
    return 'handled';
  };

/** Its clock is an hour ahead of ours, and it asks for a second. */
function anHourAhead(): Record<string, string> {
  const now = Date.now() + 3_600_000;
  return { date: new Date(now).toUTCString(), 'retry-after': new Date(now + 1_000).toUTCString() };
}

async function open(more: Partial<HttpTarget> = {}) {
  const exporters = [target('sink', sink.url, more), target('other', other.url)];
  return await scene.open({ exporters });
}

const value = (name: string) =>
  scene.service?.counts().find((count) => count.name === name && count.labels?.exporter === 'sink')?.value;
const exporter = (name: string) => scene.service?.exporters().find((state) => state.name === name);

describe('a backend', () => {
  it('that is away holds up no other one, and gets all when it is back', async () => {
    await sink.close();
    const service = await open();
    await service.take(batch(LINES));
    const expected = replayed(LINES);
    await until(() => other.spans.size === expected.length);
    expect(other.sorted()).toEqual(expected);
    await until(() => exporter('sink')?.lastError?.includes('ECONNREFUSED') === true);
    expect(exporter('sink')?.sentSpans).toBe(0);
    await sink.open();
    await until(() => sink.spans.size === expected.length);
    expect(sink.sorted()).toEqual(expected);
    await until(() => exporter('sink')?.waitingBytes === 0);
    expect(exporter('sink')).toMatchObject({ sentSpans: expected.length, lostSpans: 0 });
  });

  it('that is away when the service stops gets all after the next start', async () => {
    await sink.close();
    const service = await open();
    await service.take(batch(LINES));
    const expected = replayed(LINES);
    await until(() => other.spans.size === expected.length);
    await service.stop(1_500);
    await sink.open();
    await open();
    await until(() => sink.spans.size === expected.length);
    expect(sink.sorted()).toEqual(expected);
    expect([sink.taken, other.taken]).toEqual([expected.length, expected.length]);
  });

  it.each([
    ['503', answer(503, {}, 2)],
    ['429 with a time', answer(429, { 'retry-after': '1' }, 1)],
    ['503 with a date of another clock', answer(503, anHourAhead(), 1)],
    ['502 with a date', answer(502, { 'retry-after': new Date(Date.now() + 1_000).toUTCString() }, 1)],
  ])('that answers %s is tried again, and loses nothing', async (_, react) => {
    sink.react = react;
    const service = await open();
    const began = performance.now();
    await service.take(batch(LINES));
    await until(() => sink.spans.size === replayed(LINES).length);
    expect(performance.now() - began).toBeGreaterThan(400);
    expect(exporter('sink')?.lostSpans).toBe(0);
  });

  it('is waited for as long as it asks', async () => {
    sink.react = answer(429, { 'retry-after': '3600' }, 1);
    const service = await open();
    await service.take(batch(LINES));
    await until(() => sink.requests === 1);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(sink.requests).toBe(1);
  });

  it('that hangs is given up on for this time and tried again, and does not keep a stop', async () => {
    sink.react = () => 'handled';
    const service = await open({ timeoutMillis: 300 });
    await service.take(batch(LINES));
    await until(() => sink.requests >= 2);
    expect(exporter('sink')?.lastError).toContain('no answer in 300 ms');
    const began = performance.now();
    await service.stop(2_000);
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(other.spans.size).toBe(replayed(LINES).length);
  });

  it('that cannot take one span loses that one alone, once it was tried bare', async () => {
    const bare: unknown[] = [];
    sink.react = ({ spans }, response) => {
      const poison = spans.find(({ name }) => name.startsWith('execute_tool'));
      if (poison === undefined) return undefined;
      if (spans.length === 1 && poison.attributes.some(({ key }) => key === 'hermes.export.cut')) bare.push(poison);
      response.writeHead(400).end('{}');
      return 'handled';
    };
    const service = await open();
    await service.take(batch(LINES));
    const all = replayed(LINES);
    const poisoned = all.filter((span) => JSON.parse(span).name.startsWith('execute_tool')).length;
    await until(() => exporter('sink')?.lostSpans === poisoned);
    await until(() => sink.spans.size === all.length - poisoned);
    expect(bare.length).toBe(poisoned);
    expect(value('cut_spans')).toBe(0);
    expect(sink.sorted()).toEqual(all.filter((span) => !JSON.parse(span).name.startsWith('execute_tool')));
  });

  it('that takes a span only without its attributes has it counted, and named with its ids', async () => {
    sink.react = ({ spans }, response) => {
      const isPoison = ({ name, attributes }: (typeof spans)[number]) =>
        name.startsWith('execute_tool') && attributes.some(({ key }) => key !== 'hermes.export.cut');
      if (!spans.some(isPoison)) return undefined;
      response.writeHead(400, 'an attribute is too long').end('{}');
      return 'handled';
    };
    const service = await open();
    await service.take(batch(LINES));
    const all = replayed(LINES).map((span) => JSON.parse(span));
    await until(() => exporter('sink')?.sentSpans === all.length);
    const poisoned = all.filter(({ name }) => name.startsWith('execute_tool'));
    expect(poisoned.length).toBeGreaterThan(1);
    expect(value('cut_spans')).toBe(poisoned.length);
    expect(exporter('sink')).toMatchObject({ sentSpans: all.length, lostSpans: 0 });
    const told = scene.warnings.filter((text) => text.includes('taken without its attributes'));
    expect(told).toHaveLength(Math.min(20, poisoned.length));
    for (const { name, traceId, spanId } of poisoned.slice(0, 20)) {
      expect(told.join('\n')).toContain(`${JSON.stringify(name)} (trace ${traceId}, span ${spanId}) was refused`);
    }
    expect(told[0]).toContain('an attribute is too long');
  });

  it('that refuses everything is counted and passed by', async () => {
    sink.react = answer(422);
    const service = await open();
    await service.take(batch(LINES));
    const { length } = replayed(LINES);
    await until(() => exporter('sink')?.lostSpans === length);
    expect(exporter('sink')).toMatchObject({ sentSpans: 0, waitingBytes: 0 });
    expect(scene.warnings.filter((text) => text.includes('HTTP 422'))).toHaveLength(1);
  });

  it.each([401, 403, 404, 302])('whose address or key is wrong is waited for: %d', async (status) => {
    sink.react = answer(status);
    const service = await open();
    await service.take(batch(LINES));
    await until(() => exporter('sink')?.lastError?.includes(`HTTP ${status}`) === true);
    expect(exporter('sink')?.lostSpans).toBe(0);
    sink.react = () => undefined;
    await until(() => sink.spans.size === replayed(LINES).length);
    expect(exporter('sink')?.lostSpans).toBe(0);
  });

  it('that takes a part is believed, and one that is no OTLP receiver is waited for', async () => {
    sink.react = (_, response) => {
      response.writeHead(200).end('{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}');
      return 'handled';
    };
    other.react = (_, response) => {
      response.writeHead(200).end('<html>');
      return 'handled';
    };
    const service = await open();
    await service.take(batch(LINES));
    const { length } = replayed(LINES);
    await until(() => exporter('other')?.lastError?.includes('no OTLP response') === true);
    await until(() => exporter('sink')?.lostSpans === 2);
    expect(exporter('other')).toMatchObject({ sentSpans: 0, lostSpans: 0 });
    expect(exporter('sink')).toMatchObject({ sentSpans: length - 2, lastError: expect.stringContaining('too old') });
  });

  it('gets headers and compressed bodies', async () => {
    const seen: unknown[] = [];
    sink.react = ({ headers }) => {
      seen.push([headers.authorization, headers['content-encoding'], headers['content-type']]);
      return undefined;
    };
    const service = await open({ headers: { authorization: 'Bearer x' }, compression: 'gzip' });
    await service.take(batch(LINES));
    await until(() => sink.spans.size === replayed(LINES).length);
    expect(seen[0]).toEqual(['Bearer x', 'gzip', 'application/json']);
  });

  it('that stays away loses the oldest spans, and each of them is counted', async () => {
    await sink.close();
    const exporters = [target('sink', sink.url, { spool: { bytes: 9 * 2 ** 20 } })];
    const service = await scene.open({ exporters });
    const lines = recording('w-volume-30-turns-tui');
    const spans = replayed(lines).length;
    let made = 0;
    for (let round = 0; made < 24_000; round++) {
      made += spans;
      await service.take(batch(asAnother(lines, `x${round}`)));
    }
    await service.settled();
    await until(() => (exporter('sink')?.lostSpans ?? 0) > 0, 20_000);
    await sink.open();
    await until(() => exporter('sink')?.waitingBytes === 0, 20_000);
    const { sentSpans = 0, lostSpans = 0 } = exporter('sink') ?? {};
    expect(sentSpans + lostSpans).toBe(made);
    expect(sink.taken).toBe(sentSpans);
  });
});
