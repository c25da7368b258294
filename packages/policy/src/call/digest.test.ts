import { describe, expect, it } from 'vitest';
import { argsDigest, callDigest } from './digest.js';

const call = { tool: 'pay', agent: 'a', sessionId: 's', callId: 'c' };

describe('callDigest', () => {
  it('is another one for each part that is another', () => {
    const digests = [
      callDigest(call, '{}'),
      callDigest(call, '{"a":1}'),
      ...(['tool', 'agent', 'sessionId', 'callId'] as const).map((part) => callDigest({ ...call, [part]: 'x' }, '{}')),
      callDigest({ ...call, agent: undefined }, '{}'),
      // Parts cannot run into each other.
      callDigest({ ...call, agent: 'a","s', sessionId: '' }, '{}'),
      argsDigest('pay', '{}'),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(callDigest({ ...call }, '{}')).toBe(digests[0]);
  });
});
