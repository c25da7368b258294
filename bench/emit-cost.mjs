// What a hook costs where nobody listens, and where one observer does.
import { Hub } from '@hermes-observer/core';
import { interleave } from './interleave.mjs';

const CALLS = 2_000_000;

/** A call that does nothing, with the same arguments; kept from being inlined away by its counter. */
class Empty {
  calls = 0;
  emit(hook, payload) {
    if (payload === hook) this.calls++;
  }
}

function timed(name, target, payload) {
  return {
    name,
    run() {
      const began = process.hrtime.bigint();
      for (let i = 0; i < CALLS; i++) target.emit('pre_tool_call', payload);
      return Number(process.hrtime.bigint() - began) / CALLS;
    },
  };
}

export function emitCost({ rounds = 15 } = {}) {
  const listened = new Hub();
  let seen = 0;
  listened.on('pre_tool_call', () => {
    seen++;
  });
  const payload = { tool_name: 'terminal', tool_call_id: 'call_1' };
  const contestants = [
    timed('an empty call', new Empty(), payload),
    timed('emit, no listener', new Hub(), payload),
    timed('emit of a thunk, no listener', new Hub(), () => payload),
    timed('emit, one observer', listened, payload),
  ];
  const result = interleave(contestants, { rounds });
  const empty = result.get('an empty call').median;
  if (seen === 0) throw new Error('the observer was never called');
  return [...result].map(([name, { median, min, p90 }]) => ({ name, median, min, p90, above: median - empty }));
}
