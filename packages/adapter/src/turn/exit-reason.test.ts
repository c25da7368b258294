import { createObserver } from '@hermes-observer/otel';
import { expect, it } from 'vitest';
import { Guard } from '../guard.js';
import { AdapterTurn } from './turn.js';

const guard = new Guard('test', () => {});
const QUESTION = { toolCallId: 'call_1', toolName: 'pay', surface: 'test' };

function observed() {
  const host = createObserver({ exporters: [], env: {}, onWarning: () => {} });
  const reasons: unknown[] = [];
  host.hub.on('on_session_end', ({ turn_exit_reason }) => void reasons.push(turn_exit_reason));
  return {
    turn: (parent?: AdapterTurn, callId?: string) => new AdapterTurn(host, guard, {}, parent, callId),
    /** In the order of the ends. */
    reasons: () => {
      host.hub.deliverWaiting();
      return reasons;
    },
  };
}

it('a turn that ends to ask a person says so, and so does the one it works for', () => {
  const { turn, reasons } = observed();
  const parent = turn();
  parent.request({}).end({ finishReason: 'tool_calls' });
  const child = turn(parent, 'call_0');
  child.request({}).end({ finishReason: 'tool_calls' });
  child.asked(QUESTION);
  child.answered(QUESTION, 'pending');
  child.end();
  parent.end({ answer: 'May I?' });
  expect(reasons()).toEqual(['waiting_for_approval', 'waiting_for_approval']);
});

it('a turn that goes on with another request does not wait', () => {
  const { turn, reasons } = observed();
  const asking = turn();
  asking.answered(QUESTION, 'pending');
  asking.request({}).end({ finishReason: 'stop' });
  asking.end({ answer: 'Done.' });
  const answered = turn();
  answered.answered(QUESTION, 'once');
  answered.end({ answer: 'Done.' });
  expect(reasons()).toEqual(['text_response(finish_reason=stop)', 'text_response']);
});

it('a turn whose answer comes from one that it was handed to has the finish reason of that', () => {
  const { turn, reasons } = observed();
  const first = turn();
  first.request({}).end({ finishReason: 'tool_calls' });
  const specialist = turn(first);
  specialist.request({}).end({ finishReason: 'stop' });
  specialist.end({ answer: 'Sunny.' });
  first.end({ answer: 'Sunny.' });
  const caller = turn();
  caller.request({}).end({ finishReason: 'tool_calls' });
  const called = turn(caller, 'call_1');
  called.request({}).end({ finishReason: 'stop' });
  called.end({ answer: 'Sunny.' });
  caller.end({ answer: 'Sunny.' });
  expect(reasons()).toEqual([
    'text_response(finish_reason=stop)',
    'text_response(finish_reason=stop)',
    'text_response(finish_reason=stop)',
    'text_response(finish_reason=tool_calls)',
  ]);
});
