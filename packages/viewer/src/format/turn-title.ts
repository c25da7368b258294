import type { TurnRow } from '../api/turn-row.js';
import { visibleLine } from './visible-text.js';

/** Names of OpenTelemetry begin with the operation, which says nothing that the page does not show otherwise. */
const OPERATION = /^(invoke_agent|chat|execute_tool|approval|human_input) (?=\S)/;

export const withoutOperation = (name: string): string => name.replace(OPERATION, '');

/** What a turn is called: the user's first words where they are captured, else its agent and when in the session it was. */
export function turnTitle(row: TurnRow): string {
  const name = row.turn === null ? row.name : withoutOperation(row.name);
  return visibleLine(row.excerpt ?? '', 240) || visibleLine(name, 240) || 'without a name';
}
