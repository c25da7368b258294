// The agent of ends.mjs in a program that goes on for so many milliseconds: `ends-later.mjs none 1000`.
import { setTimeout as sleep } from 'node:timers/promises';

await import('./ends.mjs');
await sleep(Number(process.argv[3]));
