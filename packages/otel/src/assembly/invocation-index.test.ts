import type { HrTime } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { Invocation } from './invocation.js';
import { InvocationIndex } from './invocation-index.js';
import { type AssemblyLimits, DEFAULT_LIMITS } from './limits.js';
import { Trace } from './trace.js';

const index = (limits: Partial<AssemblyLimits> = {}) => new InvocationIndex({ ...DEFAULT_LIMITS, ...limits });

function turn(into: InvocationIndex, id: string, task?: string, producer = 'p'): Invocation {
  const start: HrTime = [1, 0];
  const made = new Invocation('turn', id, new Trace(`turn\0${id}`, producer, start, undefined), producer, start);
  into.addTurn(id, made);
  if (task !== undefined) {
    made.task = task;
    into.addTask(task, made);
  }
  return made;
}

function close(into: InvocationIndex, closed: Invocation, time: HrTime): void {
  closed.closedAt = time;
  into.retire(closed, time);
}

const noCode = () => false;

describe('which turn an id stands for', () => {
  it('is what was added under it, again and again, and nothing for an unseen one', () => {
    const all = index();
    const [a, b] = [turn(all, 'a'), turn(all, 'b')];
    expect([all.byTurn('a'), all.byTurn('b'), all.byTurn('a'), all.byTurn('c')]).toEqual([a, b, a, undefined]);
    expect(all.byTurn(undefined)).toBeUndefined();
  });

  it('may be one turn for several ids', () => {
    const all = index();
    const a = turn(all, 'a');
    all.addTurn('alias', a);
    expect(all.byTurn('alias')).toBe(a);
  });

  it('is the child of a session before the child of a task', () => {
    const all = index();
    const [one, other] = [turn(all, 'one'), turn(all, 'other')];
    all.addChild('session', undefined, one);
    all.addChild(undefined, 'task', other);
    expect(all.child('session', 'task')).toBe(one);
    expect(all.child('unseen', 'task')).toBe(other);
    expect(all.child('unseen', undefined)).toBeUndefined();
  });
});

describe('which turn a task stands for', () => {
  it('is one that runs code, else the newest open one, else the last', () => {
    const all = index();
    const [a, b] = [turn(all, 'a', 'k'), turn(all, 'b', 'k')];
    expect(all.byTask('k', (candidate) => candidate === a)).toBe(a);
    expect(all.byTask('k', noCode)).toBe(b);
    close(all, b, [2, 0]);
    expect(all.byTask('k', noCode)).toBe(a);
    close(all, a, [3, 0]);
    expect(all.byTask('k', noCode)).toBe(b);
    expect(all.byTask('unseen', noCode)).toBeUndefined();
  });
});

describe('the late window', () => {
  it('lets an open turn take records of any time', () => {
    const all = index();
    expect(all.takesLate(turn(all, 'a'), [99_999, 0])).toBe(true);
  });

  it('lets a closed turn take records up to its length of record time after the close', () => {
    const all = index({ lateWindowMillis: 1000 });
    const a = turn(all, 'a');
    close(all, a, [10, 0]);
    expect(all.takesLate(a, [11, 0])).toBe(true);
    expect(all.takesLate(a, [11, 1])).toBe(false);
    expect(all.takesLate(a, [5, 0])).toBe(true);
  });

  it('drops the keys of turns that closed before it, of the same producer only', () => {
    const all = index({ lateWindowMillis: 1000 });
    const [old, foreign, fresh] = [turn(all, 'old'), turn(all, 'foreign', undefined, 'q'), turn(all, 'new')];
    close(all, old, [10, 0]);
    close(all, foreign, [10, 0]);
    close(all, fresh, [99, 0]);
    expect([old.expired, foreign.expired, fresh.expired]).toEqual([true, false, false]);
  });

  it('keeps the turn itself known after it, so that no second root can open', () => {
    const all = index({ lateWindowMillis: 1000 });
    const old = turn(all, 'old');
    close(all, old, [10, 0]);
    close(all, turn(all, 'new'), [99, 0]);
    expect(all.byTurn('old')).toBe(old);
  });
});

describe('closed turns beyond the bound', () => {
  it('are forgotten, the oldest first, with their task', () => {
    const all = index({ maxClosedTurns: 2 });
    for (const id of ['a', 'b', 'c']) close(all, turn(all, id, `task-${id}`), [10, 0]);
    expect(all.byTurn('a')).toBeUndefined();
    expect(all.byTask('task-a', noCode)).toBeUndefined();
    expect(all.byTurn('b')).toBeDefined();
    expect(all.size).toBe(4);
  });

  it('leave nothing behind, whatever order turns of one task close in', () => {
    const all = index({ maxClosedTurns: 1 });
    const [a, b] = [turn(all, 'a', 'k'), turn(all, 'b', 'k')];
    close(all, b, [2, 0]);
    close(all, turn(all, 'c'), [3, 0]);
    close(all, a, [4, 0]);
    close(all, turn(all, 'd'), [5, 0]);
    close(all, turn(all, 'e'), [6, 0]);
    expect(all.byTask('k', noCode)).toBeUndefined();
    expect(all.size).toBe(1);
  });
});
