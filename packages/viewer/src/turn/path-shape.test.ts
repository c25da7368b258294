import { describe, expect, it } from 'vitest';
import type { PathSegment, TurnAnswer } from '../api/turn-answer.js';
import { pathShape } from './path-shape.js';
import { makeModel } from './turn-model.js';

function modelOf(segments: PathSegment[], count = 2) {
  const all = (value: number) => Array.from({ length: count }, () => value);
  const answer = {
    row: { duration: 1000 },
    base: '0',
    texts: ['a'],
    spans: {
      id: all(0).map(String),
      parent: all(-1),
      name: all(0),
      kind: all(7),
      start: all(0),
      end: all(1000),
      flags: all(0),
      who: all(-1),
      label: all(-1),
    },
    path: { parts: {}, segments },
    links: [],
    incomplete: [],
  };
  return makeModel(answer as unknown as TurnAnswer);
}

describe('pathShape', () => {
  it('draws the stretches of one span', () => {
    const model = modelOf([
      [0, 0, 200, 5],
      [1, 200, 900, 0],
      [0, 900, 1000, 5],
    ]);
    const scale = { from: 0, to: 1000 };
    expect(pathShape(model, 0, scale)).toBe('M0.0 0h200.0v1h-200.0zM900.0 0h100.0v1h-100.0z');
    expect(pathShape(model, 1, scale)).toBe('M200.0 0h700.0v1h-700.0z');
    expect(pathShape(model, 0, { from: 950, to: 1000 })).toBe('M0.0 0h1000.0v1h-1000.0z');
    expect(pathShape(model, 0, { from: 300, to: 600 })).toBe('');
  });

  it('joins what cannot be told apart', () => {
    const many = Array.from({ length: 20_000 }, (_, at): PathSegment => [0, at * 10, at * 10 + 5, 5]);
    const shape = pathShape(modelOf(many), 0, { from: 0, to: 200_000 });
    expect(shape.split('M').length - 1).toBeLessThan(500);
  });
});
