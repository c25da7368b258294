import { Hub } from '@hermes-observer/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, frozenCopy } from '../call/canonical.js';
import type { HookContext, PolicyHook } from '../hooks/hook.js';
import { MemoryApprovals } from './approvals.test-support.js';
import { createPolicy } from './policy.js';
import { call } from './scene.test-support.js';

// What each gate does, and what it means for the call: `deny`, `ask` or `allow`.
const GATES = {
  allows: { execute: () => ({ allow: true }), means: 'allow' },
  silent: { execute: () => undefined, means: 'allow' },
  denies: { execute: async () => ({ allow: false, error: 'no' }), means: 'deny' },
  asks: { execute: () => ({ ask: {} }), means: 'ask' },
  asksLate: { execute: () => new Promise((resolve) => setTimeout(() => resolve({ ask: {} }), 1)), means: 'ask' },
  throws: {
    execute: () => {
      throw new Error('x');
    },
    means: 'deny',
  },
  rejects: { execute: () => Promise.reject(new Error('x')), means: 'deny' },
  late: { execute: () => new Promise(() => {}), timeoutMs: 1, means: 'deny' },
  garbage: { execute: () => 'yes' as never, means: 'deny' },
  misspelt: { execute: () => ({ alow: true }) as never, means: 'deny' },
  lenientThrow: {
    execute: () => {
      throw new Error('x');
    },
    onError: 'allow',
    means: 'allow',
  },
  lenientDeny: { execute: () => ({ allow: false }), onError: 'allow', means: 'deny' },
  observed: { execute: () => ({ allow: false }), mode: 'observe', means: 'allow' },
  observedThrow: {
    execute: () => {
      throw new Error('x');
    },
    mode: 'observe',
    means: 'allow',
  },
  exempt: { execute: () => ({ allow: false }), exemptRoles: ['researcher'], means: 'allow' },
  other: { execute: () => ({ allow: false }), matcher: { tool: 'other' }, means: 'allow' },
  untriggered: { execute: () => ({ allow: false }), shouldTrigger: () => false, means: 'allow' },
  sanitizes: {
    execute: ({ args }: HookContext) => (Object.hasOwn(args, 'x') ? { modifiedArgs: { amount: 1 } } : undefined),
    means: 'allow',
  },
} as const satisfies Record<string, Partial<PolicyHook> & { means: string }>;
type Kind = keyof typeof GATES;

function hookOf(kind: Kind, i: number, priority: number): PolicyHook {
  const { means: _means, ...fields } = GATES[kind];
  return {
    name: `${kind}-${i}`,
    event: 'PreToolUse',
    priority,
    ...(fields as Partial<PolicyHook> & Pick<PolicyHook, 'execute'>),
  };
}

const gates = fc.array(
  fc.record({ kind: fc.constantFrom(...(Object.keys(GATES) as Kind[])), priority: fc.integer({ min: -2, max: 2 }) }),
  { maxLength: 8 },
);

describe('any gates, in any order', () => {
  it('deny beats ask beats allow', async () => {
    await fc.assert(
      fc.asyncProperty(gates, fc.infiniteStream(fc.nat()), async (list, order) => {
        const hooks = list.map(({ kind, priority }, i) => hookOf(kind, i, priority));
        const shuffled = hooks.map((hook) => ({ hook, at: order.next().value as number })).sort((a, b) => a.at - b.at);
        const means = new Set<string>(list.map(({ kind }) => GATES[kind].means));
        const expected = means.has('deny') ? 'deny' : means.has('ask') ? 'ask' : 'allow';
        for (const registered of [hooks, shuffled.map(({ hook }) => hook)]) {
          const approvals = new MemoryApprovals();
          approvals.onRequest = ({ id }) => approvals.answer(id, 'rejected');
          const policy = createPolicy({ hooks: registered, approvals, onFailure: () => {} });
          const verdict = await policy.decide(call({ childRoles: ['researcher'] }));
          const got = approvals.requests.length > 0 ? 'ask' : verdict.decision === 'block' ? 'deny' : 'allow';
          expect(got).toBe(expected);
          expect(verdict.decision).toBe(expected === 'allow' ? 'allow' : 'block');
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** Changes whatever it can reach, as often as it is asked. */
const HOSTILE: Readonly<Record<string, (context: HookContext) => unknown>> = {
  mutates: ({ args }) => {
    for (const key of Object.keys(args)) {
      try {
        (args as Record<string, unknown>)[key] = 'evil';
        delete (args as Record<string, unknown>)[key];
      } catch {
        // It is frozen.
      }
    }
    return undefined;
  },
  prototypes: ({ args }) => {
    try {
      Object.setPrototypeOf(args, { evil: true });
    } catch {
      // It is frozen.
    }
    return undefined;
  },
  getters: ({ args }) => {
    let reads = 0;
    return {
      get modifiedArgs() {
        return { ...args, amount: 1 };
      },
      get allow() {
        return reads++ === 0;
      },
    };
  },
  laterChange: ({ args }) => {
    const own = { ...structuredClone(args), amount: 2 };
    setTimeout(() => Object.assign(own, { amount: 'evil' }), 0);
    queueMicrotask(() => Object.assign(own, { amount: 'evil' }));
    return { modifiedArgs: own };
  },
  proto: ({ args }) => ({
    modifiedArgs: JSON.parse(`{"__proto__":{"evil":true},"amount":${JSON.stringify(args.amount ?? 0)}}`),
  }),
};

const plainArgs = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 });

describe('what runs', () => {
  it('is byte for byte what was approved, whatever hooks and the caller do meanwhile', async () => {
    const names = Object.keys(HOSTILE);
    let ran = 0;
    await fc.assert(
      fc.asyncProperty(
        plainArgs,
        fc.array(fc.record({ name: fc.constantFrom(...names), modifies: fc.boolean() }), { maxLength: 4 }),
        fc.constantFrom('run', 'hub'),
        fc.nat({ max: 3 }),
        async (args, list, way, when) => {
          fc.pre(frozenCopy(args).json !== undefined);
          const approvals = new MemoryApprovals();
          const hooks: PolicyHook[] = list.map(({ name, modifies }, i) => ({
            name: `${name}-${i}`,
            event: 'PreToolUse',
            modifies,
            execute: HOSTILE[name] as PolicyHook['execute'],
          }));
          hooks.push({ name: 'gate', event: 'PreToolUse', execute: () => ({ ask: {} }) });
          const policy = createPolicy({ hooks, approvals, onFailure: () => {} });
          const change = () => {
            for (const key of Object.keys(args)) (args as Record<string, unknown>)[key] = 'changed';
            (args as Record<string, unknown>).more = 1;
          };
          approvals.onRequest = ({ id }) => {
            if (when === 1) change();
            setTimeout(() => {
              if (when === 2) change();
              approvals.answer(id, 'approved');
              if (when === 3) change();
            }, 1);
          };
          const shown: unknown[] = [];
          if (way === 'run') {
            const running = policy.run(call({ args }), (given) => void shown.push(given)).catch(() => undefined);
            if (when === 0) change();
            await running;
          } else {
            const hub = new Hub({ onError: () => {} });
            policy.attach(hub);
            const asking = hub.ask('pre_tool_call', { tool_name: 'pay', args, session_id: 's', tool_call_id: 'c' });
            if (when === 0) change();
            const decision = await asking;
            if (decision.decision === 'allow') shown.push(decision.args);
          }
          const [approval] = approvals.approvals.values();
          if (shown.length === 0) return;
          ran++;
          expect(shown).toHaveLength(1);
          expect(canonicalJson(shown[0])).toBe(approval?.args);
          expect((shown[0] as { evil?: unknown }).evil).toBeUndefined();
          expect(approvals.claims).toHaveLength(1);
        },
      ),
      { numRuns: 300 },
    );
    // The property is about calls that ran; most have to.
    expect(ran).toBeGreaterThan(100);
  });
});
