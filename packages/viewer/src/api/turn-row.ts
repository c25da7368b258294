export type { BlockedCall, Outcome, TurnList, TurnRow } from '../../../cli/src/wire.js';
