/**
 * Every attribute, event and link name that spans carry, in one place. `docs/span-model.md` is generated from the
 * comments: spans it stands on | type and unit | source | meaning. `semconv` is the GenAI semantic conventions v1.41.1
 * (development), `stable` the core conventions, `hermes` our own.
 */

/** all | string | semconv | The conversation: the record's own session, else the one it belongs to. A root keeps its first. */
export const ATTR_GEN_AI_CONVERSATION_ID = 'gen_ai.conversation.id';
/** turn, child, chat, tool | string | semconv | `invoke_agent`, `chat` or `execute_tool`. */
export const ATTR_GEN_AI_OPERATION_NAME = 'gen_ai.operation.name';
/** all | string | hermes: `turn_id` | The turn, own or inherited. */
export const ATTR_HERMES_TURN_ID = 'hermes.turn.id';

/** turn, child | string | semconv | Name of the agent; of a child its role. */
export const ATTR_GEN_AI_AGENT_NAME = 'gen_ai.agent.name';
/** child | string | semconv: `child_subagent_id` | Id of the child agent. */
export const ATTR_GEN_AI_AGENT_ID = 'gen_ai.agent.id';
/** turn | string | hermes: `platform` | Where the turn came from: `cli`, `tui`, `cron`, `api_server`, a chat network. An open set. */
export const ATTR_HERMES_PLATFORM = 'hermes.platform';
/** turn | string | hermes: `task_id` | The task the turn works on. */
export const ATTR_HERMES_TASK_ID = 'hermes.task.id';
/** turn | string | hermes | `completed`, `failed`, `interrupted` or `incomplete`. */
export const ATTR_HERMES_TURN_OUTCOME = 'hermes.turn.outcome';
/** turn | string | hermes: `turn_exit_reason`, `reason` | Why the turn ended. Free text in parentheses is dropped when content is off. */
export const ATTR_HERMES_TURN_EXIT_REASON = 'hermes.turn.exit_reason';
/** turn | string | hermes | `user`, `background_review` or `background`. */
export const ATTR_HERMES_TURN_KIND = 'hermes.turn.kind';
/** turn | int, requests | hermes | Model requests of the turn itself: no attempts, no auxiliary ones, none of children. */
export const ATTR_HERMES_TURN_API_CALLS = 'hermes.turn.api_calls';
/** turn | int, calls | hermes | Tool calls the turn's model asked for: none of children, none made inside `execute_code`. */
export const ATTR_HERMES_TURN_TOOL_CALLS = 'hermes.turn.tool_calls';
/** root | string | hermes: the record's `profile` | Agent profile. */
export const ATTR_HERMES_PROFILE = 'hermes.profile';
/** root | string | hermes: the record's `producer` | Id of the producer process. */
export const ATTR_HERMES_PRODUCER = 'hermes.producer';
/** root | int, records | hermes: `seq` | Records of the producer that never came while the trace was open; absent without any. */
export const ATTR_HERMES_PRODUCER_MISSING_RECORDS = 'hermes.producer.missing_records';

/** child | string | hermes: `child_role` | `leaf` or `orchestrator`. */
export const ATTR_HERMES_SUBAGENT_ROLE = 'hermes.subagent.role';
/** child | string | hermes: `child_status` | `completed`, `failed`, `interrupted`, `error` or `timeout`. */
export const ATTR_HERMES_SUBAGENT_STATUS = 'hermes.subagent.status';
/** child | string | hermes: `parent_session_id` | Session of the agent that asked. */
export const ATTR_HERMES_PARENT_SESSION_ID = 'hermes.parent.session.id';
/** child | string | hermes: `parent_turn_id` | Turn that asked. */
export const ATTR_HERMES_PARENT_TURN_ID = 'hermes.parent.turn.id';

/** chat | string | semconv: `provider` | Provider asked. */
export const ATTR_GEN_AI_PROVIDER_NAME = 'gen_ai.provider.name';
/** turn, chat | string | semconv: `model` | Model asked for. */
export const ATTR_GEN_AI_REQUEST_MODEL = 'gen_ai.request.model';
/** chat | int, tokens | semconv: `max_tokens` | Limit on the answer. */
export const ATTR_GEN_AI_REQUEST_MAX_TOKENS = 'gen_ai.request.max_tokens';
/** chat | string | semconv: `response_model` | Model that answered. */
export const ATTR_GEN_AI_RESPONSE_MODEL = 'gen_ai.response.model';
/** chat | string[] | semconv: `finish_reason` | Why the answer ended. */
export const ATTR_GEN_AI_RESPONSE_FINISH_REASONS = 'gen_ai.response.finish_reasons';
/** chat | double, s | semconv: `first_chunk_at` | From the start of the answering attempt to its first chunk. */
export const ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK = 'gen_ai.response.time_to_first_chunk';
/** chat | int, tokens | semconv: `usage.prompt_tokens` | Input, cached tokens included. */
export const ATTR_GEN_AI_USAGE_INPUT_TOKENS = 'gen_ai.usage.input_tokens';
/** chat | int, tokens | semconv: `usage.output_tokens` | Output, reasoning included. */
export const ATTR_GEN_AI_USAGE_OUTPUT_TOKENS = 'gen_ai.usage.output_tokens';
/** chat | int, tokens | semconv: `usage.cache_read_tokens` | The part of the input that was read from a cache. */
export const ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS = 'gen_ai.usage.cache_read.input_tokens';
/** chat | int, tokens | semconv: `usage.cache_write_tokens` | The part of the input that was written to a cache. */
export const ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS = 'gen_ai.usage.cache_creation.input_tokens';
/** chat | int, tokens | semconv: `usage.reasoning_tokens` | The part of the output that is reasoning. */
export const ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS = 'gen_ai.usage.reasoning.output_tokens';
/** chat | string | stable: `base_url` | Host, of an http or https address only. */
export const ATTR_SERVER_ADDRESS = 'server.address';
/** chat | int | stable: `base_url` | Port, where the address names one. */
export const ATTR_SERVER_PORT = 'server.port';
/** chat, attempt event | int | stable: `status_code` | Answer of a request that failed. */
export const ATTR_HTTP_RESPONSE_STATUS_CODE = 'http.response.status_code';
/** chat, tool | string | hermes: `api_request_id` | The logical request; of a tool, the request that asked for it. */
export const ATTR_HERMES_API_REQUEST_ID = 'hermes.api.request_id';
/** chat | int, from 1 | hermes: `api_call_count` | Which round of the turn this is. */
export const ATTR_HERMES_API_CALL_COUNT = 'hermes.api.call_count';
/** chat | int, attempts | hermes | Attempts, those without a reported end included. */
export const ATTR_HERMES_API_ATTEMPTS = 'hermes.api.attempts';
/** chat | string | hermes: `api_mode` | Protocol: `chat_completions`, `anthropic_messages`, `codex_responses`, `bedrock_converse`. */
export const ATTR_HERMES_API_MODE = 'hermes.api.mode';
/** chat (auxiliary) | string | hermes: `aux_task` | What the agent itself asked for: `title_generation`, `compression`, `vision`. */
export const ATTR_HERMES_AUX_TASK = 'hermes.aux.task';

/** tool | string | semconv: `tool_name` | Name of the tool. */
export const ATTR_GEN_AI_TOOL_NAME = 'gen_ai.tool.name';
/** tool, approval | string | semconv: `tool_call_id` | Id of the call; of an approval, the call it is about. */
export const ATTR_GEN_AI_TOOL_CALL_ID = 'gen_ai.tool.call.id';
/** tool | string | semconv | Always `function`. */
export const ATTR_GEN_AI_TOOL_TYPE = 'gen_ai.tool.type';
/** tool | string | hermes: `status`, `result_status` | `ok`, `error`, `blocked`, `cancelled`, `timeout` or `unknown`. */
export const ATTR_HERMES_TOOL_STATUS = 'hermes.tool.status';
/** tool | string | hermes: `error_type` | Who blocked the call, when the hook said `blocked`. */
export const ATTR_HERMES_TOOL_BLOCKED_BY = 'hermes.tool.blocked_by';
/** tool | double, ms | hermes: `duration_ms` | Duration as the agent measured it; adapters measure from the call's start to its end. */
export const ATTR_HERMES_TOOL_DURATION_MS = 'hermes.tool.duration_ms';

/** approval | string | hermes: `surface` | Where the question was asked. */
export const ATTR_HERMES_APPROVAL_SURFACE = 'hermes.approval.surface';
/** approval | string | hermes: `pattern_key` | The rule that asked. */
export const ATTR_HERMES_APPROVAL_PATTERN_KEY = 'hermes.approval.pattern_key';
/** approval | string | hermes: `choice` | The answer; `escalated` when the question was passed on. */
export const ATTR_HERMES_APPROVAL_CHOICE = 'hermes.approval.choice';
/** approval | string | hermes: `decided_by` | `aux_llm` when a model decided. */
export const ATTR_HERMES_APPROVAL_DECIDED_BY = 'hermes.approval.decided_by';
/** approval | string | hermes: `request_id` | The durable request of a policy. */
export const ATTR_HERMES_APPROVAL_REQUEST_ID = 'hermes.approval.request_id';
/** approval | string | hermes: `request_digest` | Digest of what was to be approved. */
export const ATTR_HERMES_APPROVAL_REQUEST_DIGEST = 'hermes.approval.request_digest';
/** approval | string | hermes: `decision_id` | Decision of the policy, as in `hermes.policy.decision_id`. */
export const ATTR_HERMES_APPROVAL_DECISION_ID = 'hermes.approval.decision_id';
/** approval | string | hermes: `approver_ref` | Opaque reference to the person who decided. */
export const ATTR_HERMES_APPROVAL_APPROVER_REF = 'hermes.approval.approver_ref';
/** human_input | string | hermes: `kind` | `clarify`, `sudo`, `approval`. An open set. */
export const ATTR_HERMES_HUMAN_INPUT_KIND = 'hermes.human_input.kind';
/** human_input | string | hermes: `outcome` | How the wait ended. */
export const ATTR_HERMES_HUMAN_INPUT_OUTCOME = 'hermes.human_input.outcome';

/** all | string | stable | Present if and only if the status is ERROR. */
export const ATTR_ERROR_TYPE = 'error.type';
/** all | boolean | hermes | True on a span that nothing ended and we closed. */
export const ATTR_HERMES_INCOMPLETE = 'hermes.incomplete';
/** all | string | hermes | What closed it: `turn_ended`, `next_request`, `next_turn`, `session_finalized`, `subagent_stopped`, `idle_timeout`, `shutdown`, `producer_lost`. */
export const ATTR_HERMES_INCOMPLETE_REASON = 'hermes.incomplete.reason';
/** all | boolean | hermes | True where the start was made up from a lone end. */
export const ATTR_HERMES_START_MISSING = 'hermes.start.missing';
/** all | boolean | hermes | True on a span whose attributes were cut to fit an export. */
export const ATTR_HERMES_EXPORT_CUT = 'hermes.export.cut';

/** turn, child, chat (content) | JSON string | semconv | Messages sent. */
export const ATTR_GEN_AI_INPUT_MESSAGES = 'gen_ai.input.messages';
/** turn, child, chat (content) | JSON string | semconv | Messages received. */
export const ATTR_GEN_AI_OUTPUT_MESSAGES = 'gen_ai.output.messages';
/** chat (content) | JSON string | semconv | System prompt. */
export const ATTR_GEN_AI_SYSTEM_INSTRUCTIONS = 'gen_ai.system_instructions';
/** tool (content) | JSON string | semconv: `args` | Arguments the tool ran with. */
export const ATTR_GEN_AI_TOOL_CALL_ARGUMENTS = 'gen_ai.tool.call.arguments';
/** tool (content) | JSON string or text | semconv: `result` | What the tool returned. */
export const ATTR_GEN_AI_TOOL_CALL_RESULT = 'gen_ai.tool.call.result';
/** approval (content) | string | hermes: `command` | What was to be approved. */
export const ATTR_HERMES_APPROVAL_COMMAND = 'hermes.approval.command';
/** approval (content) | string | hermes: `description` | Why it needs approval. */
export const ATTR_HERMES_APPROVAL_DESCRIPTION = 'hermes.approval.description';
/** human_input (content) | string | hermes: `prompt` | What the person was asked. */
export const ATTR_HERMES_HUMAN_INPUT_PROMPT = 'hermes.human_input.prompt';

/** event of chat | event | hermes: `api_request_error` | One failed attempt. */
export const EVENT_HERMES_API_ATTEMPT_FAILED = 'hermes.api.attempt_failed';
/** attempt event | int, from 1 | hermes | Which attempt failed. */
export const ATTR_HERMES_API_ATTEMPT = 'hermes.api.attempt';
/** attempt event, chat | double, ms | hermes | From this attempt's start record to its end; on a chat of several attempts, the one that was answered. */
export const ATTR_HERMES_API_ATTEMPT_DURATION_MS = 'hermes.api.attempt.duration_ms';
/** attempt event | string | hermes: `reason` | How the agent classed the failure. */
export const ATTR_HERMES_RETRY_REASON = 'hermes.retry.reason';
/** attempt event (content) | string | stable: `error.message` | Message of the failure. */
export const ATTR_EXCEPTION_MESSAGE = 'exception.message';
/** exception event (content) | string | stable | Stack of an exception that the application recorded; its first line is the message. */
export const ATTR_EXCEPTION_STACKTRACE = 'exception.stacktrace';

/** event of tool | event | hermes: `observer_policy_decision` | What one policy gate decided. */
export const EVENT_HERMES_POLICY_DECISION = 'hermes.policy.decision';
/** policy event | string | hermes: `gate` | Name of the gate. */
export const ATTR_HERMES_POLICY_GATE = 'hermes.policy.gate';
/** policy event | string | hermes: `outcome` | `allow`, `deny`, `ask`, `modify` or `skip`. */
export const ATTR_HERMES_POLICY_OUTCOME = 'hermes.policy.outcome';
/** policy event | string | hermes: `kind` | Kind of reason. */
export const ATTR_HERMES_POLICY_KIND = 'hermes.policy.kind';
/** policy event | string | hermes: `mode` | `enforce`: it was done; `observe`: it was only said. */
export const ATTR_HERMES_POLICY_MODE = 'hermes.policy.mode';
/** policy event | string | hermes: `on_error` | What counts when the gate cannot decide: `block` or `allow`. */
export const ATTR_HERMES_POLICY_ON_ERROR = 'hermes.policy.on_error';
/** policy event (content) | string | hermes: `reason` | Why, in words: of a rule, of a question, or of a person who answered. */
export const ATTR_HERMES_POLICY_REASON = 'hermes.policy.reason';
/** policy event | string | hermes: `version` | Version of the gate. */
export const ATTR_HERMES_POLICY_VERSION = 'hermes.policy.version';
/** policy event | boolean | hermes: `evaluation` | True where the policy runs in evaluation mode. */
export const ATTR_HERMES_POLICY_EVALUATION = 'hermes.policy.evaluation';
/** policy event | double, ms | hermes: `duration_ms` | How long the gate took. */
export const ATTR_HERMES_POLICY_DURATION_MS = 'hermes.policy.duration_ms';
/** policy event | string | hermes: `decision_id` | Id of the decision. */
export const ATTR_HERMES_POLICY_DECISION_ID = 'hermes.policy.decision_id';
/** policy event (content) | string[] | hermes: `side_effects` | What the gate did beside deciding. */
export const ATTR_HERMES_POLICY_SIDE_EFFECTS = 'hermes.policy.side_effects';

/** link | string | hermes | `previous_turn`, `session_turn` (of background work), `parent_session` (of a child without a known parent) or `caller`. */
export const ATTR_HERMES_LINK = 'hermes.link';

/** resource | string | stable | Name of the service. */
export const ATTR_SERVICE_NAME = 'service.name';
/** resource | string | stable | Host the spans were made on. */
export const ATTR_HOST_NAME = 'host.name';
