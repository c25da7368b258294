import { count, id, text } from './fields.js';

// Fields that many hooks share, one meaning each.

export const sessionId = id(
  'Session (conversation) of the agent. Survives turns and restarts; may change inside a turn when compression rotates it. A child agent has its own.',
);

export const taskId = id(
  'Task of the agent. On interactive surfaces the same as the session; a uuid for one-shot, cron and background runs; `child_subagent_id` for a child agent. Not unique per turn. The only id that tools inside `execute_code` may carry.',
);

export const turnId = id(
  'One run of the conversation loop: unique per turn, the same in all hooks of the turn. Empty or absent outside a turn.',
);

export const apiRequestId = id(
  'One logical model request. The same for all retries, and for restarts after a fallback, a compression or a redirect, so not unique per attempt.',
);

export const toolCallId = id(
  'Tool call as the provider named it. Unique within a turn at best: weak providers repeat it across turns. Empty for tools run inside `execute_code`.',
);

export const platform = text('Surface the turn runs on, from the agent. Empty when unknown.', [
  'cli',
  'tui',
  'cron',
  'subagent',
  'api_server',
  'acp',
  'telegram',
  'discord',
  'gateway',
]);

export const model = text(
  'Model asked for. For a mixture of agents, the name of the preset. Null or `unknown` when the agent has none.',
);

export const provider = text(
  'Provider as the agent names it. `moa` for a mixture of agents. Null when not configured.',
);

export const baseUrl = text(
  'Base address of the provider’s API. May hold host details. `moa://local` for a mixture of agents. Null when not configured.',
);

export const apiMode = text('Wire protocol of the request.', [
  'chat_completions',
  'codex_responses',
  'anthropic_messages',
  'bedrock_converse',
]);

export const apiCallCount = count(
  'Number of the request in its turn, from 1. Counted down again when a request restarts, so it may repeat.',
);

export const sessionKey = id(
  'Routing key of a gateway or the session id of a terminal surface. Not a session id in general.',
);
