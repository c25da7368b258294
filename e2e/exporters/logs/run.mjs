import { runTests } from '../../run-tests.mjs';
import { getCollector } from '../get-collector.mjs';

/** @param {{ full: boolean }} options */
export function run({ full }) {
  getCollector();
  process.env.E2E_FULL = full ? '1' : '0';
  return runTests('e2e/exporters/logs/*.e2e.ts');
}
