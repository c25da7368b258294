// npm run e2e:jaeger [-- --full]: recordings through the command and the Collector into Jaeger, and back.
//
// Runs real programs on free ports of the loopback interface. `--full` sends all recordings instead of one of each kind.
import { runSuite } from '../run-suite.mjs';

await runSuite({ folder: 'jaeger', withoutPrograms: ['compose'] });
