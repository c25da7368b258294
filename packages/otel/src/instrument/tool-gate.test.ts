import { SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import type { ObserverOptions } from '../observer/options.js';
import type { ApprovalQuestion } from './approver.js';
import { rejection, Scene } from './scene.test-support.js';

type Approve = NonNullable<ObserverOptions['approve']>;

function asking(approve?: Approve): Scene {
  const scene = new Scene({ capture: 'full', ...(approve === undefined ? {} : { approve }) });
  scene.hub.respond('pre_tool_call', () => ({ action: 'approve', message: 'deletes files', rule_key: 'rule' }));
  return scene;
}

const remove = (scene: Scene, signal?: AbortSignal) =>
  scene.observer.turn({}, (turn) =>
    turn.tool({ name: 'rm', args: { a: 1 }, callId: 'c', ...(signal ? { signal } : {}) }, () => 'ran'),
  );

describe('a call that needs approval', () => {
  it('runs when the approver allows it', async () => {
    const questions: ApprovalQuestion[] = [];
    const scene = asking(async (question) => {
      questions.push(question);
      return 'once';
    });
    expect(await remove(scene)).toBe('ran');
    expect(questions).toEqual([
      { toolName: 'rm', args: { a: 1 }, reason: 'deletes files', patternKey: 'rule', signal: undefined },
    ]);
    expect(await scene.tree()).toEqual(['invoke_agent hermes', '  execute_tool rm', '    approval rm']);
    expect((await scene.span('approval rm')).attributes).toMatchObject({
      'hermes.approval.choice': 'once',
      'hermes.approval.pattern_key': 'rule',
      'hermes.approval.surface': 'in_process',
    });
    expect(scene.hooks.map(({ hook }) => hook).slice(1, 5)).toEqual([
      'pre_tool_call',
      'pre_approval_request',
      'post_approval_response',
      'post_tool_call',
    ]);
  });

  it.each<[string, Approve, string]>([
    ['denied', () => 'deny', 'approval_denied'],
    ['not answered in time', () => 'timeout', 'approval_timeout'],
    ['answered with a word nobody knows', () => 'Denied!', 'approval_denied'],
    ['answered with nothing', () => undefined as never, 'approval_denied'],
    ['answered with true, which is no choice', () => true as never, 'approval_denied'],
    ['asked of an approver that rejects', () => Promise.reject(new Error('offline')), 'approval_failed'],
    [
      'asked of an approver that throws',
      () => {
        throw new Error('offline');
      },
      'approval_failed',
    ],
  ])('is blocked when it is %s', async (_name, approve, kind) => {
    const scene = asking(approve);
    expect(await rejection(remove(scene))).toMatchObject({ code: 'HO_TOOL_BLOCKED', kind });
    const tool = await scene.span('execute_tool rm');
    expect(tool.attributes).toMatchObject({ 'hermes.tool.status': 'blocked', 'hermes.tool.blocked_by': kind });
    expect(tool.status.code).toBe(SpanStatusCode.UNSET);
    expect(scene.payloads('post_approval_response')).toHaveLength(1);
  });

  it('is blocked when there is nobody to ask', async () => {
    const scene = asking();
    expect(await rejection(remove(scene))).toMatchObject({ kind: 'no_approver', reason: 'deletes files' });
    expect(scene.payloads('pre_approval_request')).toEqual([]);
  });

  it('is cancelled when it is aborted meanwhile', async () => {
    const abort = new AbortController();
    const scene = asking(() => {
      abort.abort();
      return new Promise<never>(() => {});
    });
    expect(await rejection(remove(scene, abort.signal))).toBe(abort.signal.reason);
    expect((await scene.span('execute_tool rm')).attributes['hermes.tool.status']).toBe('cancelled');
    expect((await scene.span('approval rm')).attributes['hermes.approval.choice']).toBe('cancelled');
  });
});

describe('turn.approval', () => {
  it('passes the choice on and records it, below the call it is asked in', async () => {
    const scene = new Scene();
    await scene.observer.turn({}, async (turn) => {
      const ask = () => turn.approval({ patternKey: 'rule', surface: 'slack' }, async () => 'session' as const);
      await turn.tool({ name: 'a', args: {} }, async () => expect(await ask()).toBe('session'));
      await ask();
    });
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes',
      '  approval rule',
      '  execute_tool a',
      '    approval a',
    ]);
    expect((await scene.span('approval a')).attributes).toMatchObject({
      'hermes.approval.choice': 'session',
      'hermes.approval.surface': 'slack',
    });
  });

  it('ends, and throws the same error, when asking fails or is called off', async () => {
    const scene = new Scene();
    const error = new Error('offline');
    const aborted = AbortSignal.abort();
    await scene.observer.turn({}, async (turn) => {
      expect(await rejection(turn.approval({ patternKey: 'a' }, () => Promise.reject(error)))).toBe(error);
      const called = turn.approval({ patternKey: 'b', signal: aborted }, async () => {
        throw aborted.reason;
      });
      expect(await rejection(called)).toBe(aborted.reason);
    });
    expect((await scene.span('approval a')).attributes['hermes.approval.choice']).toBe('notify_failed');
    expect((await scene.span('approval b')).attributes['hermes.approval.choice']).toBe('cancelled');
  });
});
