import type { HrTime } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { Invocation } from './invocation.js';
import { SessionIndex } from './session.js';
import { Trace } from './trace.js';

const time: HrTime = [1, 0];
const turn = (id: string, producer = 'p') =>
  new Invocation('turn', id, new Trace(`turn\0${id}`, producer, time, undefined), producer, time);

describe('the turn of a session that a record without a turn belongs to', () => {
  it('is the newest open user turn', () => {
    const session = new SessionIndex(10).get('s');
    const [a, b] = [turn('a'), turn('b')];
    session.open.push(a, b);
    expect(session.currentTurn()).toBe(b);
  });

  it('is none that a later turn has superseded', () => {
    const session = new SessionIndex(10).get('s');
    const [a, b] = [turn('a'), turn('b')];
    b.waits = 'next_turn';
    session.open.push(a, b);
    expect(session.currentTurn()).toBe(a);
  });

  it('is one whose session was finalized, for its end may still come', () => {
    const session = new SessionIndex(10).get('s');
    const a = turn('a');
    a.waits = 'session_finalized';
    session.open.push(a);
    expect(session.runningTurn('p')).toBe(a);
  });

  it('is no background work', () => {
    const session = new SessionIndex(10).get('s');
    const [a, review] = [turn('a'), turn('r')];
    review.turnKind = 'background_review';
    session.open.push(a, review);
    expect(session.currentTurn()).toBe(a);
  });

  it('is the last user turn when none is open', () => {
    const session = new SessionIndex(10).get('s');
    const a = turn('a');
    session.lastUserTurn = a;
    expect(session.currentTurn()).toBe(a);
    expect(session.runningTurn('p')).toBeUndefined();
  });

  it('is one of the same producer first, for an end that names no turn', () => {
    const session = new SessionIndex(10).get('s');
    const [mine, other] = [turn('a', 'mine'), turn('b', 'other')];
    session.open.push(mine, other);
    expect(session.runningTurn('mine')).toBe(mine);
    expect(session.runningTurn('third')).toBe(other);
  });
});

describe('the index of sessions', () => {
  it('gives the same session for the same id, and none for no id', () => {
    const index = new SessionIndex(10);
    expect(index.get('s')).toBe(index.get('s'));
    expect(index.find('unseen')).toBeUndefined();
    expect(index.find(undefined)).toBeUndefined();
  });

  it('keeps less than twice its bound, and those used last', () => {
    const index = new SessionIndex(100);
    for (let n = 0; n < 1000; n++) index.get(`s${n}`);
    expect(index.size).toBeLessThan(200);
    expect(index.find('s999')).toBeDefined();
    expect(index.find('s0')).toBeUndefined();
  });

  it('never forgets one with an open turn, nor one that is used all the time', () => {
    const index = new SessionIndex(10);
    index.get('open').open.push(turn('a'));
    for (let n = 0; n < 200; n++) {
      index.get(`s${n}`);
      index.find('used');
      if (n === 0) index.get('used');
    }
    expect(index.find('open')).toBeDefined();
    expect(index.find('used')).toBeDefined();
  });
});
