// npm run e2e:pipeline [-- --full] [-- --only NAME] [-- --seed 7]
//
// Spans on their way to a backend that is slow, away, or strict: bursts, a process that is killed meanwhile, values that no
// backend takes, and the documented tail sampling. The Collector as in e2e:jaeger.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cacheFolder } from '../cache-folder.mjs';
import { Tally } from '../kill/tally.mjs';
import { checkAway } from './away.mjs';
import { checkBurst } from './burst.mjs';
import { checkPoison } from './poison.mjs';
import { checkTailSampling } from './tail-sampling.mjs';

const SCENARIOS = {
  burst: checkBurst,
  away: checkAway,
  poison: checkPoison,
  'tail-sampling': ({ isFull, seed }, check) =>
    checkTailSampling({ program: join(cacheFolder, 'otelcol'), seed, traces: isFull ? 10_000 : 2_000 }, check),
};

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    seed: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Date.now() % 100_000) || 1;
console.log(`seed ${seed}`);
const tally = new Tally();
const check = (...told) => tally.check(...told);
const table = [];
const began = performance.now();
const script = fileURLToPath(new URL('../bin/get-otelcol.sh', import.meta.url));
const { status } = spawnSync('bash', [script, cacheFolder], { stdio: ['ignore', 'ignore', 'inherit'] });
check('there is a Collector', status === 0);
for (const [name, run] of Object.entries(SCENARIOS)) {
  if (values.only !== undefined && values.only !== name) continue;
  const start = performance.now();
  try {
    await run({ isFull: values.full, seed }, check, table);
  } catch (error) {
    check(`${name} comes to its end`, false, error.stack);
  }
  console.log(`     ${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
}
if (table.length > 0) console.table(table);
console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exit(tally.end());
