import type * as z from 'zod';
import { count, flag, id, millis, number, text, texts, unmarkedHook } from './fields.js';
import { apiRequestId, sessionId, taskId, toolCallId, turnId } from './identity.js';

// Records of this project’s own, written by forwarders, the service and policies. Not hooks of an agent.

export const observerHello = unmarkedHook(
  'First record of a producer, and again for each profile that joins it, so that a silent one is told from an idle one. Source: the forwarder.',
  {
    protocol: count('Version of the protocol it speaks.'),
    capture: text('What content it lets through.', ['none', 'redacted', 'full']),
    profile: text('Profile of the agent that begins to use the producer. Null when it has none.'),
    policy: text('Whether it asks the service before a tool call runs. Absent: it does not.', ['on']),
    policy_unreachable: text('What becomes of a call that cannot be asked about. Absent without `policy`.', [
      'block',
      'allow',
    ]),
    problems: texts('Settings that were asked for and cannot be had, in words. Absent when there are none.'),
    pid: count('Process id of the producer.'),
    host: text('Name of its machine. Absent in recordings.'),
    hermes_version: text('Version of the agent. Absent for other agents.'),
    python_version: text('Version of Python, when the producer runs on it.'),
    forwarder_version: text('Version of the forwarder. Absent in recordings.'),
    hooks: texts('Hooks the producer forwards.'),
    surface: text('What the process is. Empty when nothing tells.', [
      'cli-oneshot',
      'cli-interactive',
      'tui',
      'api_server',
      'gateway',
      'acp',
      'cron',
      'serve',
      'dashboard',
    ]),
  },
);
export type ObserverHello = z.infer<typeof observerHello>;

export const observerDropped = unmarkedHook(
  'Records that were given up since the last report, one a reason. One that had a number left a gap in `seq` as well: the same loss, not another. Source: the forwarder or a hook command.',
  {
    count: count('How many.'),
    reason: text('Why.', ['queue_full', 'spool_full', 'disk', 'too_long', 'unencodable', 'refused']),
  },
);
export type ObserverDropped = z.infer<typeof observerDropped>;

export const observerClosed = unmarkedHook(
  'A decision of the clock to close what nothing ended. Written before it is acted on, so that a replay decides the same. Source: the service.',
  {
    scope: text('What is closed.', ['trace', 'turn', 'producer', 'all']),
    key: id('Turn id of the root for a trace, turn id for a turn, producer id for a producer; absent for all.'),
    reason: text('Why. Becomes `hermes.incomplete.reason`.', [
      'idle_timeout',
      'producer_lost',
      'shutdown',
      'next_turn',
      'turn_ended',
    ]),
  },
);
export type ObserverClosed = z.infer<typeof observerClosed>;

export const observerPolicyDecision = unmarkedHook(
  'A policy decided on a tool call. Becomes an event on the tool’s span. Source: the policy package.',
  {
    session_id: sessionId,
    task_id: taskId,
    turn_id: turnId,
    tool_call_id: toolCallId,
    gate: text('Policy that decided.'),
    outcome: text('What it decided.', ['allow', 'deny', 'ask', 'approve', 'modify', 'skip']),
    kind: text('Kind of the decision, as the policy names it.', [
      'allowed',
      'denied',
      'asked',
      'modified',
      'remembered',
      'exempt',
      'expired',
      'pending',
      'cancelled',
      'already_run',
      'outcome_unknown',
      'hook_error',
      'hook_timeout',
      'config_error',
    ]),
    mode: text('Whether it was done (`enforce`) or is only said (`observe`). Absent: done.', ['enforce', 'observe']),
    on_error: text('What counts when the gate cannot decide. Absent: it blocks.', ['block', 'allow']),
    evaluation: flag('The policy runs in evaluation mode. Absent: no.'),
    version: text('Version of the gate. Absent when it has none.'),
    reason: text(
      'Why, in words: what the agent is told, what a person is asked, or what a person said. Content. Absent where there is none.',
    ),
    duration_ms: millis('Milliseconds it took.'),
    decision_id: id('One call’s way through a policy: all gates asked about it say the same.'),
    side_effects: texts('What else the policy did. Content.'),
  },
);
export type ObserverPolicyDecision = z.infer<typeof observerPolicyDecision>;

export const observerEvaluation = unmarkedHook(
  'Somebody judged a turn, a model request or a tool call, then or much later. Makes no span: it becomes a log record `gen_ai.evaluation.result` that belongs to the span it judges. Source: evaluators.',
  {
    session_id: sessionId,
    task_id: taskId,
    turn_id: turnId,
    api_request_id: apiRequestId,
    tool_call_id: toolCallId,
    trace_id: id('Trace of the judged span, 32 hex digits; with `span_id` it wins over the other ids.'),
    span_id: id('The judged span, 16 hex digits.'),
    response_id: id('Completion that was judged, as its provider named it.'),
    name: text('What was judged, such as `relevance`.'),
    score: number('The score. Absent where there is only a label.'),
    label: text('The score in a word, such as `pass`.'),
    explanation: text('Why. Content.'),
    error_type: text('Why there is no score: the evaluation failed. Absent otherwise.'),
  },
);
export type ObserverEvaluation = z.infer<typeof observerEvaluation>;
