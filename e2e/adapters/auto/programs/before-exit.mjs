// An agent that works again when the program has nothing left to do.
import { run } from './late.mjs';

await run();
process.once('beforeExit', () => void setTimeout(run, 50));
