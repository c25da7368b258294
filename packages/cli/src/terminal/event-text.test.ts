import { expect, it } from 'vitest';
import { EventText } from './event-text.js';
import type { LiveEvent } from './source.js';

const STREAM =
  ': here\n\nid: x-1\nevent: rows\ndata: [{"a":"é"}]\n\n: still here\n\nevent: gone\ndata: ["t"]\n\nevent: half\ndata: {';

it('events are taken apart, wherever the pieces end', () => {
  for (let size = 1; size <= STREAM.length; size++) {
    const events: LiveEvent[] = [];
    const text = new EventText((event) => events.push(event));
    for (let at = 0; at < STREAM.length; at += size) text.push(STREAM.slice(at, at + size));
    expect(events).toEqual([
      { name: 'rows', data: [{ a: 'é' }] },
      { name: 'gone', data: ['t'] },
    ]);
  }
});

it('nonsense is an error', () => {
  expect(() => new EventText(() => {}).push('event: rows\ndata: [\n\n')).toThrow(SyntaxError);
});
