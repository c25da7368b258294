import { Argument, type Command } from 'commander';
import type { Host } from './program.js';

/** Sets up the help of `hook`. It runs before this program is loaded: see `bin/hermes-observer.js`. */
export function defineHook(command: Command, _: Host): void {
  command
    .addArgument(new Argument('<agent>', 'agent whose event it is').choices(['claude-code']))
    .option('--socket <path>', 'socket of the service')
    .option('--data <folder>', 'data folder of the service')
    .option('--capture <mode>', 'how much content is handed over: none, redacted or full')
    .option('--policy', 'ask the service before a call runs, and refuse what it does not let run')
    .option('--policy-unreachable <what>', 'while the service is away: block (default) or allow')
    .option(
      '--policy-rewrites <what>',
      'a call whose arguments policy changed: deny (default; the model makes it anew) or update',
    )
    .option('--policy-timeout <seconds>', 'most seconds that a decision may take (default 590)')
    .action(() => command.error("error: the agent comes first: 'hook claude-code'"));
}
