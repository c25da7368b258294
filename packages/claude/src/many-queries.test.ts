import { getEventListeners } from 'node:events';
import { createContext, runInContext } from 'node:vm';
import { heardBy, KeptSpans } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import { expect, it } from 'vitest';
import { observedQuery, withObserver } from './observe.js';

const observing = () => {
  const kept = new KeptSpans();
  const observer = createObserver({ exporters: [kept as never], env: {}, onWarning: () => {} });
  return { observer, ...heardBy(observer, kept) };
};

it('queries that share an abort controller leave no listener on it', async () => {
  const { observer } = observing();
  const query = observedQuery(async function* (_: object) {}, { observer });
  const abortController = new AbortController();
  const listeners = () => getEventListeners(abortController.signal, 'abort').length;
  for (let i = 0; i < 20; i++) for await (const _ of query({ prompt: 'x', options: { abortController } })) break;
  expect(listeners()).toBeLessThanOrEqual(1);
});

it.each([
  ['of another context', (value: unknown) => runInContext('(value) => Promise.resolve(value)', createContext())(value)],
  ['of here', (value: unknown) => Promise.resolve(value)],
])('a promise %s that allows a call allows it', async (_, promised) => {
  const { observer, payloads } = observing();
  const canUseTool = () => promised({ behavior: 'allow', updatedInput: {} });
  const observed = withObserver({ canUseTool, hooks: {} }, { observer }) as {
    canUseTool: (...args: unknown[]) => Promise<unknown>;
    hooks: Record<string, { hooks: ((event: object) => Promise<unknown>)[] }[]>;
  };
  const told = { session_id: 's', tool_use_id: 'c', tool_name: 'Bash', tool_input: {} };
  const hook = (name: string) => observed.hooks[name]?.at(-1)?.hooks[0]?.({ ...told, hook_event_name: name });
  await hook('UserPromptSubmit');
  await hook('PreToolUse');
  await observed.canUseTool('Bash', {}, { toolUseID: 'c' });
  await hook('PostToolUse');
  expect(payloads('post_approval_response')).toMatchObject([{ choice: 'once' }]);
});
