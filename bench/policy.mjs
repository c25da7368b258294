// What a policy costs a tool call: guards that are for other tools, guards that match and allow, and calls of a hub with one.
import { Hub } from '@hermes-observer/core';
import { createPolicy } from '@hermes-observer/policy';
import { interleaveAwaited } from './interleave.mjs';

const CALLS = 5_000;

const guards = (count, fields) =>
  Array.from({ length: count }, (_, i) => ({
    event: 'PreToolUse',
    execute: () => undefined,
    ...fields(i),
  }));

const others = (count) =>
  guards(count, (i) => ({ name: `other-${i}`, matcher: { tool: [`other_${i}_*`, `*_${i}_other`] } }));
const matching = (count) =>
  guards(count, (i) => ({
    name: `guard-${i}`,
    matcher: { tool: 'send_*', args: { [`field_${i}`]: { exists: false } } },
  }));

/** Of the processor: the wall clock tells what else the machine does. */
function microsecondsSince(began) {
  const { user, system } = process.cpuUsage(began);
  return user + system;
}

/** As agents call them: a short command with a few arguments. */
const call = () => ({
  tool: 'send_mail',
  args: {
    to: 'a@example.com',
    subject: 'Dinner',
    body: 'At eight? '.repeat(10),
    options: { html: false, cc: ['b@example.com'] },
  },
  callId: 'call_1',
  sessionId: 's',
  turnId: 't',
  taskId: 'k',
});

function decides(name, hooks, options = {}) {
  const policy = createPolicy({ hooks, ...options });
  return {
    name,
    async run() {
      const began = process.cpuUsage();
      for (let i = 0; i < CALLS; i++) {
        const { decision } = await policy.decide(call());
        if (decision !== 'allow') throw new Error(`${name}: blocked`);
      }
      return microsecondsSince(began) / CALLS;
    },
  };
}

function asks(name, hooks) {
  const hub = new Hub();
  if (hooks !== undefined) createPolicy({ hooks }).attach(hub);
  else hub.respond('pre_tool_call', () => undefined);
  return {
    name,
    async run() {
      const began = process.cpuUsage();
      for (let i = 0; i < CALLS; i++) {
        const { tool, args, callId, sessionId, turnId } = call();
        const payload = { tool_name: tool, args, tool_call_id: callId, session_id: sessionId, turn_id: turnId };
        await hub.ask('pre_tool_call', payload);
      }
      return microsecondsSince(began) / CALLS;
    },
  };
}

/** Microseconds of the processor a call; rows by name. */
export async function policyCost({ rounds = 15 } = {}) {
  const noReport = { report: () => {} };
  const contestants = [
    decides('no guard', []),
    decides('10 guards that do not match', others(10)),
    decides('100 guards that do not match', others(100)),
    decides('10 guards that match and allow', matching(10)),
    decides('20 guards that match and allow', matching(20)),
    decides('10 that match, reported', matching(10), { report: noReport }),
    decides('10 that match among 100 that do not', [...others(100), ...matching(10)]),
    asks('hub with one guard that is no policy', undefined),
    asks('hub with 10 guards that do not match', others(10)),
    asks('hub with 10 guards that match and allow', matching(10)),
  ];
  const rows = await interleaveAwaited(contestants, { rounds });
  return [...rows].map(([name, { median, min, p90 }]) => ({ name, median, min, p90 }));
}
