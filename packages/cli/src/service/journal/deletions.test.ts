import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asAnother, batch, recording, Scene, until } from '../scene.test-support.js';
import { sessionDigest } from './deletion-file.js';
import { isIn, rangesOf } from './position-ranges.js';

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
afterEach(() => scene.end());

const open = () => scene.open({ capture: 'full' });
const folder = () => join(scene.folder, 'service');
const value = (name: string) => scene.service?.counts().find((count) => count.name === name)?.value ?? 0;
const isDone = () => until(() => value('waiting_deletions') === 0, 20_000);

/** All that is on disk. */
function bytes(): string {
  const all: string[] = [];
  for (const name of readdirSync(folder(), { recursive: true }) as string[]) {
    const path = join(folder(), name);
    try {
      if (statSync(path).isFile()) all.push(readFileSync(path, 'latin1'));
    } catch (error) {
      // A file that the service writes may have got its name, or be gone, between the looks.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return all.join('\n');
}

const sessionOf = (lines: readonly string[]): string => {
  for (const line of lines) {
    const { session_id } = JSON.parse(line).payload;
    if (session_id) return session_id;
  }
  throw new Error('no session');
};

/** With words of its own in every text that a person, a model or a tool said. */
function planted(lines: readonly string[], word: string): string[] {
  const texts = /"(text|user_message|result|output|content|assistant_response|command|goal)":"/g;
  return lines.map((line) => line.replace(texts, `"$1":"${word} `));
}
const count = (text: string, word: string) => text.split(word).length - 1;

async function keptLines(): Promise<string[]> {
  const { service } = scene;
  const lines: string[] = [];
  for await (const { line } of service?.lines(0, Number.MAX_SAFE_INTEGER) ?? []) lines.push(line.toString());
  return lines;
}

describe('a session that is deleted', () => {
  it.each(['c-parallel-tools', 'd-tool-blocked-by-plugin', 'f-retry-after-429', 'n-delegate-nested-sync'])(
    'leaves nothing on disk of what was said in it, and leaves others as they are: %s',
    async (name) => {
      const service = await open();
      const gone = planted(asAnother(recording(name), '-gone'), 'apricot');
      const stays = planted(asAnother(recording(name), '-stays'), 'walnut');
      await service.take(batch(gone));
      await service.take(batch(stays));
      await service.settled();
      expect(count(bytes(), 'apricot')).toBeGreaterThan(3);
      const walnuts = count(bytes(), 'walnut');
      await service.deleteSession(sessionOf(gone), [], []);
      await isDone();
      expect(count(bytes(), 'apricot')).toBe(0);
      expect(count(bytes(), 'walnut')).toBe(walnuts);
      const left = await keptLines();
      expect(left.filter((line) => line.includes('-gone') && !line.includes('observer_hello'))).toEqual([]);
      expect(left).toEqual(expect.arrayContaining(stays));
      expect(existsSync(join(folder(), 'deleted-sessions'))).toBe(true);
      expect(readFileSync(join(folder(), 'deleted-sessions'), 'utf8')).not.toContain(sessionDigest(sessionOf(gone)));
      expect(value('faulty_records')).toBe(0);
    },
  );

  it('takes along what names no session, of a producer with others too', async () => {
    const service = await open();
    const one = (seq: number, hook: string, payload: object) =>
      JSON.stringify({ hook, time_unix_nano: `180000000000000${1000 + seq}`, seq, producer: 'gateway', payload });
    const lines = [
      one(1, 'post_gateway_admission', { session_key: 'chat:1', text: 'apricot asks' }),
      one(2, 'post_gateway_admission', { session_key: 'chat:2', text: 'walnut asks' }),
      one(3, 'pre_llm_call', { session_id: 's2', turn_id: 't2', user_message: 'walnut asks' }),
      one(4, 'pre_llm_call', { session_id: 's1', turn_id: 't1', user_message: 'apricot asks' }),
      one(5, 'pre_tool_call', { session_id: 's1', turn_id: 't1', tool_call_id: 'c', tool_name: 'terminal' }),
      one(6, 'transform_terminal_output', { tool_call_id: 'c', output: 'apricot is out' }),
      one(7, 'pre_tool_call', { session_id: 's2', turn_id: 't2', tool_call_id: 'c', tool_name: 'terminal' }),
      one(8, 'transform_terminal_output', { tool_call_id: 'c', output: 'walnut is out' }),
      one(9, 'pre_command', { session_key: 's1', command: 'apricot' }),
      one(10, 'transform_api_error_classification', { error_message: 'apricot by its place' }),
      one(11, 'post_llm_call', { session_id: 's1', turn_id: 't1', assistant_response: 'apricot' }),
      one(12, 'post_llm_call', { session_id: 's2', turn_id: 't2', assistant_response: 'walnut' }),
      one(13, 'post_tool_call', { session_id: 's1', turn_id: 't1', tool_call_id: 'c', result: 'apricot' }),
      one(14, 'post_tool_call', { session_id: 's2', turn_id: 't2', tool_call_id: 'c', result: 'walnut' }),
      one(15, 'on_session_end', { session_id: 's1', turn_id: 't1', completed: true }),
      one(16, 'on_session_end', { session_id: 's2', turn_id: 't2', completed: true }),
    ];
    await service.take(batch(lines));
    await service.settled();
    const walnuts = count(bytes(), 'walnut');
    await service.deleteSession('s1', [9, 1], []);
    await isDone();
    expect(count(bytes(), 'apricot')).toBe(0);
    expect(count(bytes(), 'walnut')).toBe(walnuts);
    expect((await keptLines()).length).toBe(7);
  });

  it('is erased beside a turn that is open, which goes on after a restart as if nothing had been', async () => {
    const first = await open();
    const open1 = asAnother(recording('b-two-sequential-tools'), '-open');
    const half = open1.slice(0, 8);
    const gone = planted(asAnother(recording('c-parallel-tools'), '-gone'), 'apricot');
    const spans = async (before: number) => {
      await until(() => value('open_traces') === 0);
      return value('spans') - before;
    };
    await first.take(batch(half));
    await first.take(batch(gone));
    await first.settled();
    const ended = value('spans');
    await first.deleteSession(sessionOf(gone), [], []);
    const isHidden = batch(gone).records.every(
      (record) => record.payload.session_id === undefined || first.isDeleted(record, half.length),
    );
    expect(isHidden).toBe(true);
    // What comes later is new.
    expect(first.isDeleted(batch(gone.slice(3)).records[0] as never, 10_000)).toBe(false);
    await isDone();
    expect(count(bytes(), 'apricot')).toBe(0);
    await first.stop(1_500);
    const second = await open();
    await second.settled();
    await second.take(batch(open1.slice(8)));
    await second.settled();
    const after = await spans(0);
    expect(count(bytes(), 'apricot')).toBe(0);
    expect(await keptLines()).toEqual(expect.arrayContaining(open1));
    expect(scene.warnings).toEqual([]);
    // As many as without a deletion between.
    const alone = new Scene();
    const whole = await alone.open({ capture: 'full' });
    await whole.take(batch([...half, ...gone]));
    await whole.settled();
    const spansOf = () => whole.counts().find(({ name }) => name === 'spans')?.value ?? 0;
    expect(spansOf()).toBe(ended);
    await whole.take(batch(open1.slice(8)));
    await whole.settled();
    expect(spansOf() - ended).toBe(after);
    await alone.end();
  });

  it('waits while it runs, also over a restart', async () => {
    const first = await open();
    const gone = planted(asAnother(recording('c-parallel-tools'), '-gone'), 'apricot');
    await first.take(batch(gone.slice(0, 12)));
    await first.settled();
    await first.deleteSession(sessionOf(gone), [], []);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(value('waiting_deletions')).toBe(1);
    expect(count(bytes(), 'apricot')).toBeGreaterThan(0);
    await first.stop(1_500);
    const second = await open();
    expect(second.isDeleted(batch(gone).records.at(-1) as never, 0)).toBe(true);
    expect(value('waiting_deletions')).toBe(1);
    await second.take(batch(gone.slice(12)));
    await isDone();
    const left = (await keptLines()).filter((line) => line.includes('-gone'));
    // What came after the deletion.
    expect(left.filter((line) => gone.slice(0, 12).includes(line) && !line.includes('observer_hello'))).toEqual([]);
  });

  it('is found by a list of an earlier version, and a file that is none is told of', async () => {
    const first = await open();
    const gone = planted(recording('c-parallel-tools'), 'apricot');
    await first.take(batch(gone));
    await first.settled();
    await first.stop(1_500);
    writeFileSync(join(folder(), 'deleted-sessions'), `${sessionDigest(sessionOf(gone))}\n`);
    await open();
    await isDone();
    expect(count(bytes(), 'apricot')).toBe(0);
    await scene.service?.stop(1_500);
    writeFileSync(join(folder(), 'deleted-sessions'), '{"deletions":');
    await open();
    expect(scene.warnings.join('\n')).toContain('deleted-sessions cannot be read');
  });
});

it('ranges are put together, and found in', () => {
  const ranges = rangesOf([7, 3, 4, 4, 20], [5, 2, 18, 2], [30, 3, 31, 1]);
  expect(ranges).toEqual([3, 5, 18, 3, 30, 3]);
  const inside = Array.from({ length: 40 }, (_, position) => position).filter((position) => isIn(ranges, position));
  expect(inside).toEqual([3, 4, 5, 6, 7, 18, 19, 20, 30, 31, 32]);
  expect(isIn([], 0)).toBe(false);
});
