export { type SessionInfo, withSession } from '@hermes-observer/adapter';
export { type ApprovalChoice, type ApprovalInfo, withApproval } from './agent/with-approval.js';
export { type ToolInfo, withTool } from './agent/with-tool.js';
export { type TurnInfo, withTurn } from './agent/with-turn.js';
export {
  instrumentAnthropic,
  instrumentOpenAI,
  type ModuleOptions,
  observeAnthropic,
  observeOpenAI,
} from './instrument.js';
export type { ClientsOptions, FrameworkSpans } from './options.js';
