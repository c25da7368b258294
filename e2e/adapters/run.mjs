// Adapters in processes of their own: without a line in the program, and approvals that are answered in another process.
//
// npm run e2e:adapters
import { runTests, tellEnd } from '../run-tests.mjs';

tellEnd(await runTests('e2e/adapters/**/*.e2e.ts'));
