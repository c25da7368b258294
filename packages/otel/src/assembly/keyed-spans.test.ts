import type { HrTime } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { KeyedSpans, nextOrdinal, openOf } from './keyed-spans.js';
import { ToolNode } from './span-node.js';

const time: HrTime = [1, 0];
/** As much of a node as keys depend on. */
function tool(ordinal = 0, end: HrTime | undefined = undefined): ToolNode {
  return Object.assign(Object.create(ToolNode.prototype), { ordinal, end }) as ToolNode;
}

describe('spans by key', () => {
  it('hold the newest span of a key, open or ended', () => {
    const spans = new KeyedSpans<ToolNode>();
    const [first, second] = [tool(0, time), tool(1)];
    spans.add('c', first, 10);
    expect(spans.get('c')).toBe(first);
    spans.add('c', second, 10);
    expect(spans.get('c')).toBe(second);
    expect(spans.find('unused')).toBeUndefined();
  });

  it('count on: the next ordinal of a key is one more than its newest', () => {
    expect(nextOrdinal(undefined, undefined)).toBe(0);
    expect(nextOrdinal(undefined, { forgotten: 7 })).toBe(7);
    expect(nextOrdinal(tool(4), undefined)).toBe(5);
    expect(nextOrdinal(4, undefined)).toBe(5);
  });

  it('tell the open one from those that ended', () => {
    const open = tool();
    expect(openOf(open)).toBe(open);
    expect(openOf(tool(0, time))).toBeUndefined();
    expect(openOf(3)).toBeUndefined();
    expect(openOf(undefined)).toBeUndefined();
  });

  it('let go of ended spans on release, and keep their keys and ordinals', () => {
    const spans = new KeyedSpans<ToolNode>();
    const open = tool();
    spans.add('ended', tool(2, time), 10);
    spans.add('open', open, 10);
    spans.release();
    expect(spans.get('ended')).toBeUndefined();
    expect(nextOrdinal(spans.find('ended'), spans)).toBe(3);
    expect(spans.get('open')).toBe(open);
  });

  it('forget the oldest ended key beyond the bound', () => {
    const spans = new KeyedSpans<ToolNode>();
    for (let n = 0; n < 5; n++) spans.add(`c${n}`, tool(0, time), 3);
    expect(['c0', 'c1', 'c2', 'c3', 'c4'].map((key) => spans.find(key) !== undefined)).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  it('never forget an open span, and forget ended ones behind it all the same', () => {
    const spans = new KeyedSpans<ToolNode>();
    const open = tool();
    spans.add('open', open, 3);
    for (let n = 0; n < 20; n++) spans.add(`c${n}`, tool(0, time), 3);
    expect(spans.get('open')).toBe(open);
    expect(spans.find('c19')).toBeDefined();
    expect(spans.find('c0')).toBeUndefined();
  });
});
