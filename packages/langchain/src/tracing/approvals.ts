import { type AdapterTool, type AdapterTurn, BoundedMap } from '@hermes-observer/adapter';
import { fieldsOf } from '../framework/fields.js';
import {
  type AskedCall,
  askedCalls,
  choiceIn,
  type Decision,
  decidedCalls,
  decisionsIn,
  interruptsOf,
} from '../framework/interrupts.js';
import { callsOf, lastAnswer, type MessageCall, messagesIn } from '../framework/messages.js';
import type { Agent } from './agent.js';

const SURFACE = 'langgraph';
/** Threads that wait for a person; over it the oldest are forgotten, and found by their messages alone. */
const MOST_THREADS = 10_000;

const questionOf = ({ call, requestId }: AskedCall) => ({
  toolCallId: call.id,
  toolName: call.name,
  surface: SURFACE,
  requestId,
});

/** Questions about calls: a graph that stops to ask is a turn that ends, the one that goes on is another. */
export class Approvals {
  readonly #waiting = new BoundedMap<string, AskedCall[]>(MOST_THREADS);

  /** A node of a graph stopped to ask. */
  interrupted(agent: Agent, inputs: unknown, error: unknown): void {
    for (const { id, value } of this.#new(agent, error)) {
      const stated = callsOf(lastAnswer(inputs));
      const asked = askedCalls(id, value, stated.length > 0 ? stated : [...agent.asked.values()]);
      if (asked.length > 0) this.#pending(agent, asked);
    }
  }

  /** The code of a tool stopped to ask. */
  toolInterrupted(agent: Agent, tool: AdapterTool, args: unknown, error: unknown): void {
    const [first] = this.#new(agent, error);
    if (first !== undefined)
      this.#pending(agent, [{ call: { id: tool.callId, name: tool.name, args }, requestId: first.id }]);
    tool.end({ status: 'cancelled' });
  }

  #new(agent: Agent, error: unknown) {
    return interruptsOf(error).filter(({ id }) => {
      const isKnown = id !== undefined && agent.interrupts.has(id);
      if (id !== undefined) agent.interrupts.add(id);
      return !isKnown;
    });
  }

  #pending(agent: Agent, asked: readonly AskedCall[]): void {
    const { threadId } = agent.info;
    const turn = agent.begin();
    for (const one of asked) {
      turn?.asked(questionOf(one));
      turn?.answered(questionOf(one), 'pending');
    }
    if (threadId !== undefined) this.#waiting.set(threadId, [...(this.#waiting.get(threadId) ?? []), ...asked]);
  }

  /** The node that asked went on with what a person decided. `before` has the calls it was about. */
  decided(agent: Agent, before: readonly MessageCall[], update: unknown): void {
    if (agent.isDecided || messagesIn(update).length === 0) return;
    const asked = this.#asked(agent).filter(({ call }) => before.some(({ id }) => id === call.id));
    const decisions = decisionsIn(
      agent.resume,
      asked.map(({ requestId }) => requestId),
    );
    const turn = decisions === undefined ? undefined : agent.begin();
    if (decisions === undefined || turn === undefined) return;
    agent.isDecided = true;
    const isRejected = decisions.some(({ type }) => type === 'reject');
    const calls =
      asked.length === decisions.length ? asked.map(({ call }) => call) : decidedCalls(decisions, before, update);
    decisions.forEach((decision, i) => {
      const call = calls[i];
      if (call === undefined) return;
      decide(turn, { call, requestId: asked[i]?.requestId }, decision, isRejected);
      if (!isRejected) agent.ask([{ id: call.id, name: decision.name ?? call.name, args: decision.args ?? call.args }]);
    });
    this.#answered(agent, asked);
  }

  /** A call starts. One that goes on where its tool stopped to ask has its answer. */
  toolStarted(agent: Agent, tool: AdapterTool): void {
    const { resume } = agent;
    if (resume === undefined || agent.isDecided || agent.asked.has(tool.callId)) return;
    const waiting = this.#asked(agent);
    const own = waiting.find(({ call }) => call.id === tool.callId);
    // In another process nothing is known of the question but its answer.
    if (own === undefined && (waiting.length > 0 || decisionsIn(resume, []) !== undefined)) return;
    const requestId = own?.requestId;
    const question = questionOf({ call: { id: tool.callId, name: tool.name, args: undefined }, requestId });
    const byId = fieldsOf(resume)[requestId ?? ''];
    agent.turn?.asked(question);
    agent.turn?.answered(question, choiceIn(byId ?? resume));
    if (own !== undefined) this.#answered(agent, [own]);
  }

  #asked({ info: { threadId } }: Agent): readonly AskedCall[] {
    return threadId === undefined ? [] : (this.#waiting.get(threadId) ?? []);
  }

  #answered({ info: { threadId } }: Agent, answered: readonly AskedCall[]): void {
    if (threadId === undefined) return;
    const left = (this.#waiting.get(threadId) ?? []).filter((one) => !answered.includes(one));
    if (left.length === 0) this.#waiting.delete(threadId);
    else this.#waiting.set(threadId, left);
  }
}

/** The call waits here until it runs, unless it never does. */
function decide(turn: AdapterTurn, asked: AskedCall, decision: Decision, isOneRejected: boolean): void {
  const { id: callId, name, args } = asked.call;
  const isEdited = decision.type === 'edit';
  const tool = turn.tool({ name: decision.name ?? name, callId, args: isEdited ? decision.args : args });
  const isAllowed = decision.type === 'approve' || isEdited;
  turn.asked(questionOf(asked));
  turn.answered(questionOf(asked), isAllowed ? 'once' : 'deny');
  if (!isAllowed) tool.end({ status: 'blocked', errorType: 'user_denied' });
  // Where one call is rejected, the middleware runs none of those that it asked about with it.
  else if (isOneRejected) tool.end({ status: 'cancelled' });
}
