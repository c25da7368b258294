// The same in CommonJS.
process.argv[2] ??= 'run';
import('./agent.mjs');
