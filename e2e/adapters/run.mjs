// Adapters in processes of their own: without a line in the program, an approval that is answered in another process, and what
// an adapter costs.
//
// npm run e2e:adapters
import { runTests, tellEnd } from '../run-tests.mjs';
import { overhead } from './ai-sdk/overhead.mjs';

const tests = await runTests('e2e/adapters/**/*.e2e.ts');
const costs = await overhead();
tellEnd({ passed: tests.passed + (costs ? 1 : 0), failed: tests.failed + (costs ? 0 : 1) });
