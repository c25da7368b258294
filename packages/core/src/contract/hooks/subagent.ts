import * as z from 'zod';
import { count, hook, id, text, texts } from './fields.js';

const parentSessionId = id('Session of the agent that delegates. Null when it has none.');
const childSessionId = id('Session of the child: `session_id` in the child’s own hooks. Null when it has none.');

export const subagentStart = hook(
  'A child agent was built, on the thread of the parent’s `delegate_task`, before any child of the batch runs. Also for children that plugins start.',
  {
    parent_session_id: parentSessionId,
    parent_turn_id: id('Turn of the parent that delegates. Empty when it has none.'),
    parent_subagent_id: id('`child_subagent_id` of the parent, when it is a child itself. Null otherwise.'),
    child_session_id: childSessionId,
    child_subagent_id: id('The child: `task_id` in the child’s own hooks. Unique in the process.'),
    child_role: text('Role of the child.', ['leaf', 'orchestrator']),
    child_goal: text('The child’s whole prompt, unredacted.'),
  },
);
export type SubagentStart = z.infer<typeof subagentStart>;

const historyEntry = z.looseObject({
  tool_name: text('Name of the tool, at most 256 characters.'),
  tool_input: z
    .looseObject({
      argument_keys: texts('Names of the arguments, sorted, at most 64.'),
      targets: z.looseObject({}).nullish().describe('Paths and addresses among the arguments, by argument name.'),
    })
    .nullish()
    .describe('What of the arguments is kept.'),
  input_bytes: count('Size of the arguments in characters, despite the name.'),
  output_bytes: count('Size of the result in characters, despite the name.'),
  status: text('Guessed from the result’s text. `unknown` when no result was seen.', ['ok', 'error', 'unknown']),
});

export const subagentStop = hook(
  'A child agent is done. Sent after the whole batch, in the order of the batch, so its time is not the child’s end. The child may still emit hooks after a timeout.',
  {
    parent_session_id: parentSessionId,
    parent_turn_id: id(
      'Turn of the parent at this moment: not the one that delegated when the child outlived it. Do not trust it.',
    ),
    child_session_id: childSessionId,
    child_role: text('Role of the child.', ['leaf', 'orchestrator']),
    child_summary: text('The child’s answer, unredacted, cut at 24,000 characters. Null when it gave none.'),
    child_status: text('How the child ended.', ['completed', 'failed', 'interrupted', 'error', 'timeout']),
    tool_call_history: z
      .array(historyEntry)
      .nullish()
      .describe('The child’s tool calls. Empty for children that failed or timed out. Since 0.20.0.'),
    duration_ms: count('Milliseconds the child ran, in steps of 10. 0 for abandoned children.'),
  },
);
export type SubagentStop = z.infer<typeof subagentStop>;
