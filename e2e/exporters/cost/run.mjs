// What requests cost, by a sheet that was worked by hand: through `replay` and `serve`.
//
// node e2e/exporters/cost/run.mjs
import { fileURLToPath } from 'node:url';
import { runTests, tellEnd } from '../../run-tests.mjs';

export const run = () => runTests('e2e/exporters/cost/*.e2e.ts');

if (process.argv[1] === fileURLToPath(import.meta.url)) tellEnd(await run());
