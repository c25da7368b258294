export type { ApprovalsAnswer, BlockedCall, Outcome, TurnList, TurnRow, WaitingCall } from '../../../cli/src/wire.js';
