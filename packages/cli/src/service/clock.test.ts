import type { HrTime } from '@hermes-observer/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServiceOptions } from './options.js';
import { batch, recording, Scene, until } from './scene.test-support.js';
import { Sink } from './sink.test-support.js';

let scene: Scene;
let sink: Sink;
let seconds = 1_764_450_000;
beforeEach(async () => {
  scene = new Scene();
  sink = await new Sink().open();
  seconds = 1_764_450_000;
});
afterEach(async () => {
  await scene.end();
  await sink.close();
});

const now = (): HrTime => [seconds, 0];
const open = (more: Partial<ServiceOptions> = {}) =>
  scene.open({ exporters: [{ kind: 'http', name: 'sink', url: sink.url }], now, ...more });
/** A turn that has begun. */
const OPEN = recording('b-two-sequential-tools').slice(0, 8);
const producer = JSON.parse(OPEN[0] ?? '').producer as string;
const reasons = () => sink.sorted().map((span) => /incomplete\.reason","value":\{"stringValue":"(\w+)/.exec(span)?.[1]);
const quiet = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

describe('the clock', () => {
  it('closes a trace of which nothing comes any more, by a record of the journal', async () => {
    const service = await open({ clock: { idleMillis: 500 } });
    await service.take(batch(OPEN));
    await until(() => reasons().includes('idle_timeout'));
    expect(service.counts().find(({ name }) => name === 'clock_decisions')?.value).toBe(1);
    // The decision stands after a restart, and closes nothing again.
    const { taken } = sink;
    await service.stop();
    await open({ clock: { idleMillis: 500 } });
    await quiet(2_500);
    expect(sink.taken).toBe(taken);
  });

  it('closes nothing since the time of day was set, forwards or back', async () => {
    const service = await open({ clock: { idleMillis: 60_000 } });
    await service.take(batch(OPEN));
    await service.settled();
    seconds += 7 * 86_400;
    await quiet(1_500);
    seconds -= 14 * 86_400;
    await quiet(1_500);
    expect(reasons().filter(Boolean)).toEqual([]);
    expect(service.counts().find(({ name }) => name === 'open_traces')?.value).toBe(1);
  });

  it('closes a trace although the time of day was set back', async () => {
    const service = await open({ clock: { idleMillis: 1_500 } });
    await service.take(batch(OPEN));
    seconds -= 86_400;
    await until(() => reasons().includes('idle_timeout'));
  });

  it('knows a producer as lost a while after its last connection has closed, not before', async () => {
    const service = await open({ producerGraceMillis: 700 });
    const first = service.present(producer);
    const second = service.present(producer);
    await service.take(batch(OPEN));
    await service.settled();
    first();
    first();
    await quiet(2_200);
    expect(reasons().filter(Boolean)).toEqual([]);
    second();
    await until(() => reasons().includes('producer_lost'));
  });

  it('knows one that never had a connection by its silence', async () => {
    const service = await open({ producerGraceMillis: 1, producerSilenceMillis: 1_500 });
    await service.take(batch(OPEN));
    await service.settled();
    await quiet(500);
    expect(reasons().filter(Boolean)).toEqual([]);
    await until(() => reasons().includes('producer_lost'));
  });
});
