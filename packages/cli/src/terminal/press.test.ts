import { describe, expect, it } from 'vitest';
import type { Key } from './keys.js';
import { OUTCOMES, press } from './press.js';
import { filled, hex, listOf, recorded, SIZE, span, storeOfSpans } from './scene.test-support.js';
import { settled } from './screen.js';
import type { State } from './state.js';

const NAMED = new Set(['up', 'down', 'left', 'right', 'enter', 'escape', 'backspace', 'end', 'page-down', 'interrupt']);
const keyOf = (name: string) => (NAMED.has(name) ? { name } : { name: 'text', text: name }) as Key;
const pressed = (state: State, ...keys: string[]) =>
  keys.reduce((before, key) => settled(press(before, keyOf(key), SIZE), SIZE), state);

const turns = (count: number) => storeOfSpans(...Array.from({ length: count }, (_, i) => span(i, { trace: i + 1 })));

describe('keys in the list', () => {
  it('move, and what is selected stays on the screen', async () => {
    const start = await listOf(turns(100));
    const at = (...keys: string[]) => {
      const { selected, top } = pressed(start, ...keys).list;
      return [selected === undefined ? 100 : Number(`0x${selected}`), top];
    };
    expect(at('j', 'j', 'k')).toEqual([99, 0]);
    expect(at('up')).toEqual([100, 0]);
    expect(at(' ')).toEqual([82, 0]);
    expect(at(' ', 'j')).toEqual([81, 1]);
    expect(at('G')).toEqual([1, 81]);
    expect(at('end', 'up', 'up')).toEqual([3, 81]);
    expect(at('G', 'g')).toEqual([100, 0]);
  });

  it('keep the selected turn when others come, and the first place where nothing was selected', async () => {
    const start = await listOf(turns(3));
    const more = (await listOf(turns(5))).list.rows;
    const with5 = (state: State) => settled({ ...state, list: { ...state.list, rows: more } }, SIZE);
    expect(with5(start).list.selected).toBeUndefined();
    expect(with5(pressed(start, 'j')).list.selected).toBe(hex(2, 32));
  });

  it('go through outcomes, and Esc takes all filters back', async () => {
    const start = await listOf(turns(3));
    const through = (before: State) => {
      let state = before;
      return OUTCOMES.map(() => {
        state = pressed(state, 'o');
        return state.list.query.outcome;
      });
    };
    expect(through({ ...start, list: { ...start.list, next: 'x' } })).toEqual([...OUTCOMES.slice(1), '']);
    // Those that no turn has are left out.
    const rows = start.list.rows.map((row, i) => ({
      ...row,
      ...(i === 0 ? { outcome: 'failed' as const } : { blocked: 1 }),
    }));
    const some = through({ ...start, list: { ...start.list, rows } });
    expect(some.slice(0, 4)).toEqual(['blocked', 'failed', '', 'blocked']);
    const state = pressed(start, 'o');
    expect(pressed(state, 'o', 'escape').list.query).toEqual({ text: '', outcome: '' });
  });

  it('narrow while they are typed: letters are no commands then', async () => {
    const start = await listOf(turns(3));
    const typed = pressed(start, '/', 'q', 'g', '?', 'é');
    expect([typed.input, typed.list.query.text, typed.isOver]).toEqual(['qg?é', 'qg?é', false]);
    expect(pressed(typed, 'backspace').list.query.text).toBe('qg?');
    const kept = pressed(typed, 'enter');
    expect([kept.input, kept.list.query.text]).toEqual([undefined, 'qg?é']);
    const taken = pressed(typed, 'escape');
    expect([taken.input, taken.list.query.text]).toEqual([undefined, '']);
    expect(pressed(start, '/', 'backspace').input).toBeUndefined();
  });

  it('keep the turn that was selected when Esc takes a filter back', async () => {
    const start = await listOf(turns(3));
    const found = pressed(start, '/', 'x', 'enter');
    const only = { ...found, list: { ...found.list, rows: start.list.rows.slice(2) } };
    expect(pressed(only, 'escape').list.selected).toBe(hex(1, 32));
    expect(pressed(start, 'escape').list.selected).toBeUndefined();
  });

  it('quit: q, and Ctrl-C also while something is typed', async () => {
    const start = await listOf(turns(1));
    expect(pressed(start, 'q').isOver).toBe(true);
    expect(pressed(start, '/', 'x', 'interrupt').isOver).toBe(true);
    const help = pressed(start, '?');
    expect([help.hasHelp, pressed(help, 'x').hasHelp]).toEqual([true, false]);
  });

  it('do nothing where there is no turn', async () => {
    const empty = await listOf(turns(0));
    expect(pressed(empty, 'enter', 'j', 'G', 'k', 'f').turn).toBeUndefined();
  });
});

describe('keys in a turn', () => {
  const store = recorded('n-delegate-nested-sync');
  const opened = async () => filled(pressed(await listOf(store), 'enter'), store);
  const name = ({ turn }: State) => {
    const index = turn?.selected === undefined ? 0 : turn.model?.indexOf(turn.selected);
    return turn?.model?.name(index as number);
  };

  it('move, open a span, and go back step by step', async () => {
    const turn = await opened();
    const second = pressed(turn, 'j', 'j');
    expect(name(second)).toBe('execute_tool delegate_task');
    const open = await filled(pressed(second, 'enter'), store);
    expect(open.span?.detail?.name).toBe('execute_tool delegate_task');
    expect(pressed(open, 'j', 'j').span?.top).toBe(2);
    expect(pressed(open, 'j', 'f').span).toMatchObject({ isLong: true, top: 0 });
    const back = pressed(open, 'escape');
    expect([back.span, name(back)]).toEqual([undefined, 'execute_tool delegate_task']);
    expect(pressed(back, 'backspace').turn).toBeUndefined();
  });

  it('fold and unfold', async () => {
    const turn = await opened();
    const folded = pressed(turn, 'j', 'j', 'f');
    expect(pressed(folded, 'j').turn?.selected).not.toBe(pressed(turn, 'j', 'j', 'j').turn?.selected);
    expect(pressed(folded, 'f').turn?.filter.folded.size).toBe(0);
    expect(pressed(folded, 'right').turn?.filter.folded.size).toBe(0);
    // From a leaf, what holds it.
    expect(name(pressed(turn, 'j', 'f'))).toBe('invoke_agent hermes');
    expect(name(pressed(turn, 'j', 'left'))).toBe('invoke_agent hermes');
    expect(pressed(turn, 'F').turn?.filter.folded.size).toBe(2);
    expect(pressed(turn, 'F', 'F').turn?.filter.folded.size).toBe(0);
  });

  it('find, and Esc shows all before it goes back', async () => {
    const found = pressed(await opened(), '/', 't', 'e', 'r', 'm', 'enter', 'G');
    expect(name(found)).toBe('execute_tool terminal');
    const all = pressed(found, 'escape');
    expect([all.turn?.filter.text, name(all)]).toEqual(['', 'execute_tool terminal']);
    // No span of it is blocked, failed or running.
    expect(pressed(all, 'o').turn?.filter.only).toBe('');
    const other = recorded('d-tool-blocked-by-plugin');
    const blocked = pressed(await filled(pressed(await listOf(other), 'enter'), other), 'o');
    expect([blocked.turn?.filter.only, pressed(blocked, 'o').turn?.filter.only]).toEqual(['blocked', '']);
    expect(pressed(all, 'escape').turn).toBeUndefined();
  });

  it('go to the turn before in the session', async () => {
    const two = recorded('q-two-turns-then-close-and-new');
    const list = await listOf(two);
    const later = list.list.rows.findIndex(({ trace }) => (two.find(trace)?.root?.source.links ?? []).length > 0);
    const open = await filled(pressed(list, ...Array<string>(later).fill('j'), 'enter'), two);
    const before = pressed(open, '[').turn;
    expect(before?.trace).not.toBe(open.turn?.trace);
    expect(before?.row?.session).toBe(open.turn?.row?.session);
    expect(before).toMatchObject({ model: undefined, isGone: false });
    const first = await filled(pressed(open, '['), two);
    expect(pressed(first, '[').turn?.trace).toBe(first.turn?.trace);
  });

  it('do nothing harmful before it is read', async () => {
    const turn = pressed(await listOf(store), 'enter');
    expect(pressed(turn, 'j', 'enter', 'f', 'o', 'G').turn?.model).toBeUndefined();
    expect(pressed(turn, 'escape').turn).toBeUndefined();
  });
});
