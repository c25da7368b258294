import { semconv } from '@hermes-observer/otel';
import { modelOf, requestName, textAttribute } from '../spans/content.js';
import { type Message, messagesOf, reasoningOf, textOf, textOfParts } from '../spans/messages.js';
import type { Run, SpanTree, TreeSpan } from '../spans/span-tree.js';
import { endMicros, microsOf, timestamp } from '../spans/times.js';
import { type Asking, askedTools } from './asked-calls.js';
import { agentName, spanExtra, waitExtra } from './extra.js';
import { metricsOf } from './metrics.js';
import { type BelowTool, callsOfStep, toolName } from './tool-results.js';
import type { Step, SubagentRef } from './trajectory.js';

/** A step that has no number yet, and when it comes. */
export interface Draft {
  readonly at: number;
  readonly step: Omit<Step, 'step_id'>;
}

/** A subagent of a run, and what its steps call it by. */
export interface Subagent {
  readonly one: TreeSpan;
  readonly ref: SubagentRef;
}

/** All steps of a run, in the order of their times; at one time in the order in which they are made here. */
export function stepsOf(run: Run, tree: SpanTree, subagents: readonly Subagent[]): Omit<Step, 'step_id'>[] {
  const { root, work } = run;
  const { askings, unasked } = askedTools(work, tree, root);
  const waits = work.filter(({ role }) => role === 'approval' || role === 'human_input');
  const below = (tool: TreeSpan): BelowTool => ({
    refs: subagents.filter(({ one }) => tree.toolAbove(one, root) === tool).map(({ ref }) => ref),
    waits: waits.filter((wait) => tree.toolAbove(wait, root) === tool),
  });
  const loose = (one: TreeSpan) => tree.toolAbove(one, root) === undefined;
  const drafts: Draft[] = [
    ...openingSteps(root, askings),
    ...askings.flatMap((asking) => [...freshUserSteps(asking, askings, root), answerStep(asking, root, below)]),
    ...unasked.map((tool) => unaskedStep(tool, root, below, tree)),
    ...waits.filter(loose).map(waitStep),
    ...subagents.filter(({ one }) => loose(one)).map((subagent) => subagentStep(subagent, root)),
    ...closingSteps(root, askings),
  ];
  return drafts.sort((a, b) => a.at - b.at).map(({ step }) => step);
}

function draft(at: number, step: Omit<Step, 'step_id' | 'timestamp'>): Draft {
  return { at, step: { timestamp: timestamp(at), ...step } };
}

/** The system prompt where it is known, and what the agent was asked. With content off the question is there, and empty. */
function openingSteps({ span, role }: TreeSpan, askings: readonly Asking[]): Draft[] {
  const at = microsOf(span.start);
  const first = askings[0]?.chat ?? { span, role };
  const system = systemPrompt(first);
  const isAsked = role !== 'tool' && role !== 'approval' && role !== 'human_input';
  const isAgent = role === 'turn' || role === 'child';
  const [input] = isAgent ? messagesOf(span.attributes[semconv.ATTR_GEN_AI_INPUT_MESSAGES]) : [];
  const question = input === undefined ? '' : textOf(input);
  const fresh = isAsked && question === '' ? freshMessages(first).map(textOf).join('\n\n') : question;
  return [
    ...(system === '' ? [] : [draft(at, { source: 'system', message: system, extra: { kind: 'system_prompt' } })]),
    ...(isAsked ? [draft(at, { source: 'user', message: fresh })] : []),
  ];
}

function systemPrompt({ span }: TreeSpan): string {
  const [first] = messagesOf(span.attributes[semconv.ATTR_GEN_AI_INPUT_MESSAGES]);
  const prompt = textOfParts(span.attributes[semconv.ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]);
  if (prompt !== '') return prompt;
  return first !== undefined && (first.role === 'system' || first.role === 'developer') ? textOf(first) : '';
}

/** Messages of the user at the end of a request: what was said since the last answer. */
function freshMessages({ span }: TreeSpan): Message[] {
  const messages = messagesOf(span.attributes[semconv.ATTR_GEN_AI_INPUT_MESSAGES]);
  const last = messages.findLastIndex(({ role }) => role !== 'user');
  return messages
    .slice(last + 1)
    .filter((message) => !message.parts.every(({ type }) => type === 'tool_call_response'));
}

/** What the user said while the agent was at work. */
function freshUserSteps({ chat }: Asking, askings: readonly Asking[], root: TreeSpan): Draft[] {
  // The first request has what the agent was asked.
  if (chat === askings[0]?.chat) return [];
  const earlier = askings.slice(
    0,
    askings.findIndex((asking) => asking.chat === chat),
  );
  const seen = new Set(earlier.flatMap((asking) => freshMessages(asking.chat).map(textOf)));
  for (const message of messagesOf(root.span.attributes[semconv.ATTR_GEN_AI_INPUT_MESSAGES])) seen.add(textOf(message));
  const texts = freshMessages(chat).map(textOf);
  const fresh = texts.filter((text) => text !== '' && !seen.has(text));
  return fresh.map((message) => draft(microsOf(chat.span.start), { source: 'user', message }));
}

function answerStep({ chat, asked, tools }: Asking, root: TreeSpan, below: (tool: TreeSpan) => BelowTool): Draft {
  const { span } = chat;
  const [answer] = messagesOf(span.attributes[semconv.ATTR_GEN_AI_OUTPUT_MESSAGES]);
  const reasoning = answer === undefined ? '' : reasoningOf(answer);
  const model = modelOf(span.attributes);
  const metrics = metricsOf(span);
  const calls = callsOfStep(asked, tools, root, below);
  return draft(endMicros(span), {
    source: 'agent',
    message: answer === undefined ? '' : textOf(answer),
    ...(model !== undefined && { model_name: model }),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...observed(calls),
    ...(metrics !== undefined && { metrics }),
    llm_call_count: 1,
    extra: spanExtra(span, requestName(span.attributes), root),
  });
}

/** A call that no model asked for: by code that an agent runs, or by a request that was not seen. */
function unaskedStep(tool: TreeSpan, root: TreeSpan, below: (tool: TreeSpan) => BelowTool, tree: SpanTree): Draft {
  const above = tree.toolAbove(tool, root);
  const parent = above && textAttribute(above.span.attributes, semconv.ATTR_GEN_AI_TOOL_CALL_ID);
  return draft(microsOf(tool.span.start), {
    source: 'agent',
    message: '',
    ...observed(callsOfStep([], [tool], root, below)),
    llm_call_count: 0,
    extra: {
      kind: above === undefined ? 'unasked_call' : 'nested_call',
      ...(above !== undefined && { parent_function_name: toolName(above) }),
      ...(parent !== undefined && { parent_tool_call_id: parent }),
    },
  });
}

function observed({ tool_calls, results }: ReturnType<typeof callsOfStep>) {
  return {
    ...(tool_calls.length > 0 && { tool_calls }),
    ...(results.length > 0 && { observation: { results } }),
  };
}

const waitStep = (wait: TreeSpan): Draft =>
  draft(microsOf(wait.span.start), {
    source: 'system',
    message: '',
    extra: { kind: wait.role, waits: [waitExtra(wait)] },
  });

/** A subagent that no call of the run stands for. Of a model that the agent itself asked, a step of the system. */
function subagentStep({ one, ref }: Subagent, root: TreeSpan): Draft {
  const { span, role } = one;
  const at = microsOf(span.start);
  if (role === 'auxiliary') {
    const task = textAttribute(span.attributes, semconv.ATTR_HERMES_AUX_TASK);
    const observation = { results: [{ subagent_trajectory_ref: [ref] }] };
    return draft(at, { source: 'system', message: '', observation, extra: { kind: 'auxiliary', task } });
  }
  const id = `subagent:${ref.trajectory_id}`;
  const name = agentName(span);
  return draft(at, {
    source: 'agent',
    message: '',
    tool_calls: [
      {
        tool_call_id: id,
        function_name: name,
        arguments: { name, ...(ref.session_id !== undefined && { session_id: ref.session_id }) },
        extra: spanExtra(span, name, root),
      },
    ],
    observation: { results: [{ source_call_id: id, subagent_trajectory_ref: [ref] }] },
    llm_call_count: 0,
    extra: { kind: 'subagent' },
  });
}

/** The answer of an agent whose requests are not seen. */
function closingSteps({ span, role }: TreeSpan, askings: readonly Asking[]): Draft[] {
  const [output] = messagesOf(span.attributes[semconv.ATTR_GEN_AI_OUTPUT_MESSAGES]);
  const isAgent = role === 'turn' || role === 'child';
  if (!isAgent || askings.length > 0 || output === undefined) return [];
  return [draft(endMicros(span), { source: 'agent', message: textOf(output) })];
}
