import { SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { AbortReasons } from './abort-reasons.js';
import { rejection, Scene, sleep } from './scene.test-support.js';
import type { InstrumentedTurn } from './turn.js';

const TURN = 'invoke_agent hermes';
const untilAborted = (signal: AbortSignal | undefined) =>
  new Promise<never>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

/** Runs a turn that throws what `part` throws. */
async function outcome(scene: Scene, part: (turn: InstrumentedTurn) => Promise<unknown>) {
  const error = await rejection(scene.observer.turn({}, part));
  const { attributes, status } = await scene.span(TURN);
  return { error, outcome: attributes['hermes.turn.outcome'], isError: status.code === SpanStatusCode.ERROR };
}

describe.each<[string, unknown]>([
  ['an error', new Error('enough')],
  ['a text', 'enough'],
])('a part of a turn that was aborted with %s, thrown again', (_name, reason) => {
  const interrupted = { error: reason, outcome: 'interrupted', isError: false };
  const aborting = () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 5);
    return controller.signal;
  };

  it('a tool while its guard is asked: the turn was interrupted', async () => {
    const scene = new Scene();
    scene.hub.respond('pre_tool_call', () => sleep(50));
    const signal = aborting();
    expect(await outcome(scene, (turn) => turn.tool({ name: 'a', args: {}, signal }, () => 1))).toEqual(interrupted);
    expect((await scene.span('execute_tool a')).attributes['hermes.tool.status']).toBe('cancelled');
  });

  it('a tool that runs, a request or an approval: likewise', async () => {
    const parts: ((turn: InstrumentedTurn, signal: AbortSignal) => Promise<unknown>)[] = [
      (turn, signal) => turn.tool({ name: 'a', args: {}, signal }, (_args, call) => untilAborted(call.signal)),
      (turn, signal) => turn.request({ signal }, (request) => untilAborted(request.signal)),
      (turn, signal) => turn.approval({ patternKey: 'p', signal }, () => untilAborted(signal)),
    ];
    for (const part of parts) {
      const signal = aborting();
      expect(await outcome(new Scene(), (turn) => part(turn, signal))).toEqual(interrupted);
    }
  });

  it('a tool of a subagent: so were the child, the tool it works for, and the turn', async () => {
    const scene = new Scene();
    const signal = aborting();
    const inner = (child: InstrumentedTurn) =>
      child.tool({ name: 'inner', args: {}, signal }, (_args, call) => untilAborted(call.signal));
    const outer = (turn: InstrumentedTurn) =>
      turn.tool({ name: 'outer', args: {} }, (_args, call) => call.subagent({ role: 'leaf' }, inner));
    expect(await outcome(scene, outer)).toEqual(interrupted);
    expect((await scene.span('execute_tool outer')).attributes['hermes.tool.status']).toBe('cancelled');
    expect((await scene.span('invoke_agent leaf')).attributes['hermes.subagent.status']).toBe('interrupted');
  });
});

describe('what stays a failure', () => {
  it('another error after an aborted tool', async () => {
    const fault = new Error('fault');
    const part = async (turn: InstrumentedTurn) => {
      const signal = AbortSignal.abort(new Error('enough'));
      await turn.tool({ name: 'a', args: {}, signal }, () => Promise.reject(signal.reason)).catch(() => {});
      throw fault;
    };
    expect(await outcome(new Scene(), part)).toEqual({ error: fault, outcome: 'failed', isError: true });
  });

  it('a tool that ran out of time', async () => {
    const scene = new Scene();
    const signal = AbortSignal.timeout(5);
    const timer = setTimeout(() => {}, 1000);
    const part = (turn: InstrumentedTurn) =>
      turn.tool({ name: 'a', args: {}, signal }, (_args, call) => untilAborted(call.signal));
    expect(await outcome(scene, part)).toMatchObject({ outcome: 'failed', isError: true });
    clearTimeout(timer);
    expect((await scene.span('execute_tool a')).attributes['hermes.tool.status']).toBe('timeout');
  });
});

it('keeps a bounded number of reasons', () => {
  const reasons = new AbortReasons();
  for (let i = 0; i < 1000; i++) reasons.add(i);
  expect(Array.from({ length: 1000 }, (_, i) => i).filter((i) => reasons.has(i))).toHaveLength(64);
});
