import { describe, expect, it } from 'vitest';
import { columnsOf } from '../traces/columns.js';
import { displayWidth } from '../view/display-width.js';
import { press } from './press.js';
import {
  FIRST_SECOND,
  filled,
  hex,
  listOf,
  modelOf,
  recorded,
  SIZE,
  shown,
  span,
  storeOfSpans,
} from './scene.test-support.js';
import { screen, settled } from './screen.js';
import { NO_FILTER, type Size, type State } from './state.js';

const enter = (state: State) => press(state, { name: 'enter' }, SIZE);
const down = (state: State) => press(state, { name: 'down' }, SIZE);

async function turnOf(...recordings: string[]) {
  const store = recorded(...recordings);
  return { store, state: await filled(enter(await listOf(store)), store) };
}

describe('the list', () => {
  it('says which call was blocked, by whom and why', async () => {
    const lines = shown(await listOf(recorded('d-tool-blocked-by-plugin', 'c-parallel-tools')));
    expect(lines).toHaveLength(24);
    expect(lines[0]).toMatch(/^hermes-observer {2}2 turns +$/);
    expect(lines.join('\n')).toMatch(/completed +1\.20s {2}blocked terminal by a plugin: Commands/);
    const wide = shown(await listOf(recorded('d-tool-blocked-by-plugin')), { columns: 140, rows: 24 });
    expect(wide.join('\n')).toContain('3147/18  blocked terminal by a plugin: Commands are off in this exercise.');
  });

  it('counts what runs up to now', async () => {
    const lines = shown(await listOf(storeOfSpans(span(0, { end: undefined, name: 'long' }))));
    expect(lines[0]).toContain('1 turn  1 running');
    expect(lines[2]).toMatch(/^> \S.* running +1m 40s {2}long/);
  });

  it('says why it is empty', async () => {
    const empty = await listOf(storeOfSpans());
    const text = (state: State) => shown(state).join('\n');
    expect(text(empty)).toContain('no turns yet');
    expect(text({ ...empty, list: { ...empty.list, isLoaded: false } })).toContain('reading ...');
    expect(text({ ...empty, connection: 'away' })).toContain('the service does not answer');
    expect(text({ ...empty, list: { ...empty.list, query: { text: 'x', outcome: 'errors' } } })).toMatch(
      /0 turns only errors, with "x"[\s\S]*no turn is like that/,
    );
  });
});

describe('a turn', () => {
  it('says where the time went, in parts of its duration', async () => {
    const { state } = await turnOf('p2-approval-deny-tui');
    const lines = shown(state);
    expect(lines[0]).toMatch(/^hermes {2}completed in 3\.69s +\d{4}-\d\d-\d\d /);
    expect(lines[3]).toBe('█ model 1.74s 47%  ▒ person 1.21s 33%  ▓ tools 473ms 13%  ─ agent 274ms 7%      ');
    expect(lines[2]).toMatch(/^█{38}▒{26}▓{10}─{6}$/);
  });

  it('shows blocked calls as such, with who and why', async () => {
    const { state, store } = await turnOf('p2-approval-deny-tui');
    const third = down(down(state));
    const lines = shown(settled(third, SIZE));
    expect(lines.find((line) => line.startsWith('>'))).toMatch(
      /^> {3}- terminal {2}blocked by a person: .* 1\.68s +x+ *$/,
    );
    expect(lines.at(-2)).toMatch(/^tool call {2}blocked by a person: BLOCKED/);
    const open = shown(await filled(enter(third), store));
    expect(open[0]).toMatch(/^execute_tool terminal/);
    expect(open.join('\n')).toMatch(/by: a person\s+why:\s+BLOCKED: Command denied by user/);
  });

  it('shows what was interrupted, what failed, and what goes on', async () => {
    const cut = recorded('j4-interrupt-during-api-call-tui');
    const second = await filled(enter(down(await listOf(cut))), cut);
    expect(shown(second)[0]).toMatch(/^hermes {2}interrupted in/);
    expect(shown(second)[5]).toMatch(/hermes {2}cancelled/);
    expect(shown((await turnOf('z1-mcp-tools-ok-error-timeout')).state).join('\n')).toContain('ERROR tool_error');
    const store = storeOfSpans(
      span(0, { end: undefined, name: 'root' }),
      span(1, { parent: 0, end: undefined, name: 'slow' }),
    );
    const lines = shown(await filled(enter(await listOf(store)), store));
    expect(lines[0]).toContain('root  running for 1m 40s');
    expect(lines.find((line) => line.includes('slow'))).toMatch(/slow {2}running +1m 39s {2}━+>$/);
  });

  it('keeps what is known of one that is gone, and says so', async () => {
    const { state } = await turnOf('c-parallel-tools');
    const gone = { ...state, turn: state.turn && { ...state.turn, isGone: true } };
    expect(shown(gone)[0]).toContain('gone from the service');
  });
});

describe('a span', () => {
  it('shows messages as they were said, then attributes, events and links', async () => {
    const { state, store } = await turnOf('d-tool-blocked-by-plugin');
    const open = await filled(enter(down(state)), store);
    const text = shown(open, { columns: 80, rows: 400 }).join('\n');
    expect(text).toMatch(/user: \[\[blocked\]\]|user:\s/);
    expect(text).toMatch(
      /\nmessages +\n[\s\S]*-> terminal [\s\S]*\nattributes +\n[\s\S]*gen_ai\.request\.model: mock-large/,
    );
    expect(text).toMatch(/\nresource +\n[\s\S]*service\.name: agents/);
  });
});

const HOSTILE = '\x1b[2J\x1b]0;title\x07\u202e\u2066\u009b31m\u200b\r\n\t漢字👩‍👩‍👧e\u0301\ud800<script>'.repeat(3);

describe('what was captured', () => {
  it('reaches no terminal as it is, and is never too wide, at any size', async () => {
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': HOSTILE,
      'hermes.tool.status': 'blocked',
      'hermes.tool.blocked_by': HOSTILE,
      'gen_ai.tool.call.result': JSON.stringify({ error: HOSTILE }),
      'gen_ai.conversation.id': HOSTILE,
      'gen_ai.agent.name': HOSTILE,
      'gen_ai.input.messages': JSON.stringify([{ role: HOSTILE, parts: [{ type: 'text', content: HOSTILE }] }]),
      [HOSTILE]: [HOSTILE, { [HOSTILE]: HOSTILE.repeat(1_000) }],
    };
    const store = storeOfSpans(
      span(0, { name: HOSTILE, attributes }),
      span(1, { parent: 0, name: HOSTILE, attributes }),
    );
    const list = await listOf(store);
    const turn = await filled(enter(list), store);
    const open = await filled(enter(turn), store);
    const typed = { ...list, input: HOSTILE, list: { ...list.list, query: { text: HOSTILE, outcome: '' } } };
    for (const state of [list, turn, open, typed, { ...list, hasHelp: true }]) {
      for (const size of [SIZE, { columns: 30, rows: 10 }, { columns: 200, rows: 60 }, { columns: 5, rows: 2 }]) {
        const lines = shown(state, size);
        expect(lines).toHaveLength(size.rows);
        for (const line of lines) {
          expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u200b\u202a-\u202e\u2060-\u206f]/u);
          expect(displayWidth(line)).toBe(size.columns);
        }
      }
    }
  });

  it('may have any times and any shape', async () => {
    const broken = span(1, { parent: 0, start: 5 });
    const store = storeOfSpans(
      { ...span(0), end: [0, 0] },
      { ...broken, end: [FIRST_SECOND - 90_000, 0], source: { ...broken.source, startTime: [0, 0] } },
      { ...span(2, { parent: 3 }), end: [9e9, 5] },
      span(3, { parent: 2 }),
      span(4, { parent: 99 }),
    );
    const turn = await filled(enter(await listOf(store)), store);
    expect(shown(turn).filter((line) => /span \d/.test(line)).length).toBeGreaterThanOrEqual(5);
    for (let i = 0; i < 5; i++) {
      const open = { id: hex(i), detail: undefined, top: 0, isLong: false, fault: undefined };
      expect(shown(await filled({ ...turn, span: open }, store)).join('\n')).toContain('span: ');
    }
  });
});

describe('size', () => {
  const spansOf = (count: number) =>
    storeOfSpans(
      ...Array.from({ length: count }, (_, i) =>
        span(i, i === 0 ? { end: count } : { parent: i % 3 === 0 ? 0 : i - 1 }),
      ),
    );

  it('costs nothing: only what shows is made into lines', async () => {
    const millis = async (count: number) => {
      const store = spansOf(count);
      const model = await modelOf(store);
      const list = await listOf(store);
      const turn = {
        trace: hex(1, 32),
        row: undefined,
        model,
        selected: undefined,
        top: 0,
        filter: NO_FILTER,
        isGone: false,
      };
      let state: State = { ...list, turn };
      let least = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 30; i++) {
        const began = performance.now();
        state = settled(press(state, { name: i % 2 === 0 ? 'end' : 'home' }, SIZE), SIZE);
        expect(screen(state, SIZE, 0)).toHaveLength(24);
        least = Math.min(least, performance.now() - began);
      }
      return least;
    };
    const [small, large] = [await millis(100), await millis(20_000)];
    expect(large).toBeLessThan(small * 5 + 2);
  });

  it('is that of the terminal, down to where nothing can be shown', async () => {
    const state = await listOf(recorded('c-parallel-tools'));
    const tiny: Size = { columns: 12, rows: 3 };
    expect(shown(state, tiny)).toEqual(['too small   ', 'q quits     ', '            ']);
  });
});

it('numbers of the critical path sum to the duration', async () => {
  const [trace] = recorded('n-delegate-nested-sync').all();
  if (trace === undefined) throw new Error('no trace');
  const { row, path } = columnsOf(trace, 0);
  expect(Object.values(path.parts).reduce((sum, part) => sum + part, 0)).toBe(row.duration);
});
