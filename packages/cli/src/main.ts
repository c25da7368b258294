import { CommanderError } from 'commander';
import { Console, EXIT_USAGE } from './commands/console.js';
import { createProgram } from './commands/program.js';

// A reader that has seen enough (`| head`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
});

try {
  const program = createProgram((exitCode) => {
    process.exitCode = exitCode;
  });
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE;
  else {
    new Console(process.argv.includes('--debug')).fault(error);
    process.exitCode = EXIT_USAGE;
  }
}
