import { noEntry, smuggling } from './attacks/access.mjs';
import { garbage, halfLines, longLine } from './attacks/bytes.mjs';
import { manyConnections, slowWriters } from './attacks/connections.mjs';
import { floods } from './attacks/floods.mjs';
import { deepNesting, gzipBombs, hugeNames, manyNames, oddNumbers, wideRecords } from './attacks/records.mjs';

/**
 * Each has `attack(target)`, which runs in a process of its own and gives facts, and `check(facts, service)`, which says what
 * they must be: `[what, isGood, details]` each. `target` has `socket`, `port`, `token`, `secret` and `isFull`; `service` what
 * the service counted meanwhile.
 */
export const ATTACKS = {
  'no-entry': noEntry,
  smuggling,
  garbage,
  'odd-numbers': oddNumbers,
  'deep-nesting': deepNesting,
  'half-lines': halfLines,
  'long-line': longLine,
  'gzip-bombs': gzipBombs,
  'huge-names': hugeNames,
  'many-names': manyNames,
  'wide-records': wideRecords,
  floods,
  'many-connections': manyConnections,
  'slow-writers': slowWriters,
};
