import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { ReadStream } from 'node:tty';
import { afterAll, describe, expect, it } from 'vitest';
import type { TraceStore } from '../traces/trace-store.js';
import { LiveView } from './live-view.js';
import { span, storeOfSpans } from './scene.test-support.js';
import type { LiveEvent, TurnSource } from './source.js';
import { StoreSource } from './store-source.js';
import type { TtyOutput } from './tty.js';

const folder = mkdtempSync(join(tmpdir(), 'live-view-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What `LiveView` asks of a terminal; a real one is in the end-to-end tests. */
function terminal() {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (mode: boolean) => raw.push(mode) });
  const frames: string[] = [];
  const output = new Writable({
    write(chunk, _, done) {
      frames.push(String(chunk));
      done();
    },
  });
  const file = join(folder, String(Math.random()));
  Object.assign(output, { columns: 80, rows: 24, fd: openSync(file, 'w') });
  return {
    raw,
    frames,
    input: input as unknown as ReadStream,
    output: output as unknown as TtyOutput,
    press: (keys: string) => void input.write(keys),
    left: () => readFileSync(file, 'utf8'),
  };
}

async function eventually(check: () => boolean): Promise<void> {
  for (let i = 0; i < 300 && !check(); i++) await pause(10);
  expect(check()).toBe(true);
}

function opened(source: TurnSource) {
  const at = terminal();
  const view = new LiveView({ source, input: at.input, output: at.output, colour: false });
  return { ...at, view, exit: view.run() };
}

const turns = (count: number) =>
  storeOfSpans(...Array.from({ length: count }, (_, i) => span(i, { trace: i + 1, name: i === 7 ? 'needle' : 'hay' })));

describe('the live view', () => {
  it('opens and leaves the terminal as it was', async () => {
    const { view, press, exit, raw, frames, left } = opened(new StoreSource(turns(3)));
    await eventually(() => view.state.list.rows.length === 3 && frames.length >= 2);
    expect(frames[0]).toBe('\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J');
    press('q');
    expect(await exit).toBe(0);
    expect(raw).toEqual([true, false]);
    expect(left()).toContain('\x1b[?7h\x1b[?25h\x1b[?1049l');
  });

  it('reads as far down as somebody looks, and all of it for the last turn', async () => {
    const { view, press, exit } = opened(new StoreSource(turns(3_000)));
    await eventually(() => view.state.list.isLoaded);
    expect(view.state.list).toMatchObject({ total: 3_000, rows: { length: 500 } });
    press(' '.repeat(30));
    await eventually(() => view.state.list.rows.length === 1_500);
    press('G');
    await eventually(() => view.state.list.next === null && view.state.list.selected?.endsWith('1') === true);
    expect(view.state.list.rows).toHaveLength(3_000);
    press('g/needle');
    await eventually(() => view.state.list.total === 1);
    press('\r\r');
    await eventually(() => view.state.turn?.model !== undefined);
    press('\r');
    await eventually(() => view.state.span?.detail !== undefined);
    press('\x03');
    expect(await exit).toBe(0);
  });

  it('draws no more than ten frames a second, whatever comes', async () => {
    const { view, frames, press, exit } = opened(new StoreSource(turns(200)));
    await eventually(() => view.state.list.isLoaded);
    const before = frames.length;
    const began = performance.now();
    while (performance.now() - began < 500) {
      press('j');
      await pause(5);
    }
    expect(frames.length - before).toBeLessThanOrEqual(2 + (performance.now() - began) / 100);
    expect(frames.length - before).toBeGreaterThanOrEqual(2);
    press('q');
    await exit;
  });

  it('ends with a signal, which its exit code says', async () => {
    const { view, exit, raw } = opened(new StoreSource(turns(1)));
    await eventually(() => view.state.list.isLoaded);
    process.emit('SIGTERM');
    expect(await exit).toBe(143);
    expect(raw.at(-1)).toBe(false);
  });

  it('shows changes as they are told, and a service that goes away and comes back', async () => {
    const source = new Told(turns(2));
    const { view, press, exit } = opened(source);
    await eventually(() => view.state.connection === 'live');
    source.store.add(span(50, { trace: 50, end: undefined }), 'received');
    const [row] = (await new StoreSource(source.store).turns({ text: '', outcome: '' }, 1, null)).rows;
    source.tell({ name: 'rows', data: [row] });
    expect(view.state.list.rows.map(({ outcome }) => outcome)).toEqual(['running', 'ok', 'ok']);
    source.tell({ name: 'gone', data: [row?.trace] });
    expect(view.state.list).toMatchObject({ total: 2, rows: { length: 2 } });
    source.isAway = true;
    source.break();
    await eventually(() => view.state.connection === 'away');
    expect(view.state.list.rows).toHaveLength(2);
    source.isAway = false;
    await eventually(() => view.state.connection === 'live');
    expect(view.state.list.rows).toHaveLength(3);
    press('q');
    await exit;
  });
});

/** A store that tells what a test wants told. */
class Told extends StoreSource {
  override readonly isLive = true as never;
  readonly store: TraceStore;
  isAway = false;
  #listeners: ((event: LiveEvent) => void)[] = [];
  #ends: ((error: Error) => void)[] = [];

  constructor(store: TraceStore) {
    super(store);
    this.store = store;
  }

  override turns(...given: Parameters<StoreSource['turns']>) {
    return this.isAway ? Promise.reject(new Error('away')) : super.turns(...given);
  }

  override watch(
    _from?: number,
    _trace?: string,
    onEvent: (event: LiveEvent) => void = () => {},
    signal?: AbortSignal,
  ): Promise<void> {
    this.#listeners.push(onEvent);
    return new Promise((_, reject) => {
      this.#ends.push(reject);
      signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
  }

  tell(event: LiveEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  break(): void {
    this.#listeners = [];
    for (const end of this.#ends.splice(0)) end(new Error('broken'));
  }
}
