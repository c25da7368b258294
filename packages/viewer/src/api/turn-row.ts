export type {
  ApprovalsAnswer,
  BlockedCall,
  CostSum,
  Outcome,
  TurnList,
  TurnRow,
  WaitingCall,
} from '../../../cli/src/wire.js';
