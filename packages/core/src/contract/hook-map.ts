import type * as z from 'zod';
import { postApprovalResponse, preApprovalRequest } from './hooks/approval.js';
import { postAuxiliaryCall, preAuxiliaryCall } from './hooks/auxiliary.js';
import {
  agentLoopStopped,
  gatewayPlatformEvent,
  onRoomMemberActivity,
  postGatewayAdmission,
  preCommand,
  preGatewayDispatch,
} from './hooks/gateway.js';
import { onHumanInputRequest, onHumanInputResolved } from './hooks/human-input.js';
import {
  kanbanTaskBlocked,
  kanbanTaskClaimed,
  kanbanTaskCompleted,
  onKanbanDispatchTick,
  onKanbanTaskUpdated,
  onKanbanWorkerExited,
  onKanbanWorkerSpawned,
  onKanbanWorkerStaleClaim,
} from './hooks/kanban.js';
import {
  observerClosed,
  observerDropped,
  observerEvaluation,
  observerHello,
  observerPolicyDecision,
} from './hooks/observer.js';
import { apiRequestError, postApiRequest, preApiRequest, transformApiErrorClassification } from './hooks/request.js';
import { onSessionFinalize, onSessionReset, onSessionStart } from './hooks/session.js';
import { onSkillLifecycle } from './hooks/skill.js';
import { preTranscription, preTtsSynthesis } from './hooks/speech.js';
import { onInterimMessage, onStreamDelta, onStreamEnd, onStreamStart } from './hooks/stream.js';
import { subagentStart, subagentStop } from './hooks/subagent.js';
import { postToolCall, preToolCall, transformTerminalOutput, transformToolResult } from './hooks/tool.js';
import { onSessionEnd, postLlmCall, preLlmCall, preVerify, transformLlmOutput } from './hooks/turn.js';

/** Payload schema of every known hook. Hook names are an open set: one that is not here passes through. */
export const hookSchemas = {
  on_session_start: onSessionStart,
  on_session_finalize: onSessionFinalize,
  on_session_reset: onSessionReset,
  pre_llm_call: preLlmCall,
  post_llm_call: postLlmCall,
  on_session_end: onSessionEnd,
  transform_llm_output: transformLlmOutput,
  pre_verify: preVerify,
  pre_api_request: preApiRequest,
  post_api_request: postApiRequest,
  api_request_error: apiRequestError,
  transform_api_error_classification: transformApiErrorClassification,
  pre_auxiliary_call: preAuxiliaryCall,
  post_auxiliary_call: postAuxiliaryCall,
  pre_tool_call: preToolCall,
  post_tool_call: postToolCall,
  transform_tool_result: transformToolResult,
  transform_terminal_output: transformTerminalOutput,
  subagent_start: subagentStart,
  subagent_stop: subagentStop,
  pre_approval_request: preApprovalRequest,
  post_approval_response: postApprovalResponse,
  on_human_input_request: onHumanInputRequest,
  on_human_input_resolved: onHumanInputResolved,
  on_stream_start: onStreamStart,
  on_stream_delta: onStreamDelta,
  on_stream_end: onStreamEnd,
  on_interim_message: onInterimMessage,
  pre_gateway_dispatch: preGatewayDispatch,
  post_gateway_admission: postGatewayAdmission,
  gateway_platform_event: gatewayPlatformEvent,
  agent_loop_stopped: agentLoopStopped,
  pre_command: preCommand,
  on_room_member_activity: onRoomMemberActivity,
  kanban_task_claimed: kanbanTaskClaimed,
  kanban_task_completed: kanbanTaskCompleted,
  kanban_task_blocked: kanbanTaskBlocked,
  on_kanban_worker_spawned: onKanbanWorkerSpawned,
  on_kanban_worker_exited: onKanbanWorkerExited,
  on_kanban_worker_stale_claim: onKanbanWorkerStaleClaim,
  on_kanban_task_updated: onKanbanTaskUpdated,
  on_kanban_dispatch_tick: onKanbanDispatchTick,
  pre_transcription: preTranscription,
  pre_tts_synthesis: preTtsSynthesis,
  on_skill_lifecycle: onSkillLifecycle,
  observer_hello: observerHello,
  observer_dropped: observerDropped,
  observer_closed: observerClosed,
  observer_policy_decision: observerPolicyDecision,
  observer_evaluation: observerEvaluation,
} as const;

/** Name of a hook with a schema. */
export type KnownHook = keyof typeof hookSchemas;

/** Known hook → type of its payload. */
export type HookPayloads = { [Hook in KnownHook]: z.infer<(typeof hookSchemas)[Hook]> };

export function isKnownHook(hook: string): hook is KnownHook {
  return Object.hasOwn(hookSchemas, hook);
}
