import { join } from 'node:path';
import type { ApprovalStore } from '../stores/approval-store.js';
import { FileStore } from '../stores/file-store.js';
import { openPostgresStore } from '../stores/postgres-store.js';
import { openSqliteStore } from '../stores/sqlite-store.js';
import type { PolicyPlan } from './policy-plan.js';

/**
 * The store of approvals that a plan names: a folder of the state by default.
 * @throws ObserverError `HO_POLICY_STORE`, `HO_PEER_MISSING`, `HO_OPTION`.
 */
export function openStore(plan: PolicyPlan, onWarning: (text: string) => void): Promise<ApprovalStore> {
  const { store } = plan.values;
  if (store === undefined) return FileStore.open(join(plan.state, 'approvals'), { onWarning });
  if ('file' in store) return FileStore.open(plan.path(store.file), { keepMs: store.keep, onWarning });
  const sql = { keepMs: store.keep, leaseMs: store.lease };
  if ('sqlite' in store) return openSqliteStore(plan.path(store.sqlite), sql);
  const { postgres: connectionString, schema, listen } = store;
  return openPostgresStore({ ...sql, connectionString, schema, listen });
}
