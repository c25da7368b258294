// Adapters with the frameworks' own models and loopback servers, at the lowest and the newest version that they support; in
// processes of their own; and types, for who checks those of libraries as well.
//
// npm run e2e:adapters [-- --full] [-- ai-sdk langchain …]
import { runParts } from '../run-parts.mjs';
import { runTests } from '../run-tests.mjs';

/** A part of `*.e2e.ts` files, two at a time. They know of `--full` by the variable `E2E_FULL`. */
const tests =
  (folder, how = { fileParallelism: true, maxWorkers: 2 }) =>
  (flags) => {
    if (flags.full) process.env.E2E_FULL = '1';
    return runTests(`e2e/adapters/${folder}/*.e2e.ts`, how);
  };

await runParts({
  kit: tests('kit'),
  'ai-sdk': tests('ai-sdk'),
  'openai-agents': tests('openai-agents'),
  langchain: tests('langchain'),
  // It measures how long a hook takes.
  claude: tests('claude', {}),
  clients: tests('clients'),
  auto: tests('auto'),
  mixed: tests('mixed'),
  types: async (flags) => (await import('./types/run.mjs')).run(flags),
});
