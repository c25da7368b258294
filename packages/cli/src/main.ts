import { CommanderError } from 'commander';
import { Console, EXIT_INCOMPLETE, EXIT_OK, EXIT_USAGE } from './commands/console.js';
import { createProgram, withHelpAsOption } from './commands/program.js';
import { isReaderGone, stdoutError } from './output/standard-streams.js';

let failed = false;

/** Says once what ended the run. A reader that has seen enough (`| head`) is no fault. */
function fail(error: unknown): never {
  if (isReaderGone(error)) process.exit(process.exitCode ?? EXIT_OK);
  if (!failed) new Console(process.argv.includes('--debug')).fault(error);
  failed = true;
  process.exit(EXIT_INCOMPLETE);
}

/** A service goes on when nobody reads what it says. */
const isService = process.argv.slice(2).find((argument) => !argument.startsWith('-')) === 'serve';

process.stdout.on('error', (error) => {
  if (!isService) fail(stdoutError(error));
});
// Nothing more can be said; the exit code says it.
process.stderr.on('error', () => {});

try {
  const program = createProgram((exitCode) => {
    process.exitCode = exitCode;
  });
  await program.parseAsync(withHelpAsOption(process.argv.slice(2)), { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
  else fail(error);
}
