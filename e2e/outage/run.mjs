// npm run e2e:outage [-- --full] [-- --only NAME] [-- --seed 7] [-- --keep]
//
// The real service under load while something around it fails: each record and each span is accounted for. The disk needs
// root, the Collector what e2e:jaeger needs.
import { parseArgs } from 'node:util';
import { Tally } from '../kill/tally.mjs';
import { clockSetBack } from './scenarios/clock-set-back.mjs';
import { collectorAway } from './scenarios/collector-away.mjs';
import { diskFull } from './scenarios/disk-full.mjs';
import { hanging } from './scenarios/hanging-backend.mjs';
import { busy, poison, tooMany } from './scenarios/refusing-backend.mjs';
import { Scene } from './scene.mjs';

const SCENARIOS = {
  'collector-away': collectorAway,
  503: busy,
  429: tooMany,
  400: poison,
  hanging,
  'disk-full': diskFull,
  'clock-set-back': clockSetBack,
};

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    seed: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed ?? Date.now() % 100_000) || 1;
let state = seed;
/** xorshift: the same seed plays the same recordings. */
function random() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

console.log(`seed ${seed}`);
const tally = new Tally();
const began = performance.now();
for (const [name, play] of Object.entries(SCENARIOS)) {
  if (values.only !== undefined && values.only !== name) continue;
  const start = performance.now();
  const failedBefore = tally.failed;
  const scene = new Scene(name, tally, random);
  try {
    await play(scene, { isFull: values.full });
  } catch (error) {
    scene.check('it comes to its end', false, error.stack);
  }
  if (tally.failed > failedBefore) console.log(scene.service?.log.slice(-3000));
  await scene.close(values.keep || tally.failed > failedBefore);
  console.log(`     ${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
}
console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exit(tally.end());
