// npm run e2e:live [-- --full]: real Hermes Agents with the forwarder, `serve`, the Collector, Jaeger, and back.
//
// Installs the agents from PyPI into the cache (300 MB each) and runs them in a sandbox with a scripted model, which needs
// Linux and root or user namespaces. `--full` runs all scenarios of both releases.
import { runSuite } from '../run-suite.mjs';

await runSuite({ folder: 'live' });
