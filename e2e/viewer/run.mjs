// npm run e2e:viewer [-- --full] [-- --only NAME] [-- --screenshots]
//
// The page of the real `serve` in a real Chromium: every page with recordings of real agents and with a live stream, at 360 and
// 1280 px; who may look; hostile spans; spans of other programs; a service that is killed; sessions that are deleted. `--full`: each width in both
// themes, and more kills. `--screenshots` writes those of docs/screenshots anew. CHROME_PATH names another Chromium.
import { parseArgs } from 'node:util';
import { Tally } from '../kill/tally.mjs';
import { checkAccess } from './access.mjs';
import { openBrowser } from './chromium.mjs';
import { checkDeleted } from './deleted.mjs';
import { checkFigures } from './figures.mjs';
import { checkFilters } from './filters.mjs';
import { checkHostile } from './hostile.mjs';
import { checkKilled } from './killed.mjs';
import { checkLive } from './live.mjs';
import { checkPrograms } from './other-programs.mjs';
import { checkPages } from './pages.mjs';
import { checkTerminal } from './terminal.mjs';
import { checkUse } from './use.mjs';

const SCENARIOS = {
  pages: checkPages,
  use: checkUse,
  filters: checkFilters,
  live: checkLive,
  hostile: checkHostile,
  access: checkAccess,
  programs: checkPrograms,
  killed: checkKilled,
  terminal: checkTerminal,
  deleted: checkDeleted,
  figures: checkFigures,
};

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    screenshots: { type: 'boolean', default: false },
  },
});
const tally = new Tally();
const check = (...told) => tally.check(...told);
const browser = await openBrowser();
if (browser === undefined) {
  console.log('SKIP there is no Chromium, and none can be installed: not root, or no apt-get. Set CHROME_PATH');
  console.log('0 passed, 0 failed');
  process.exit(0);
}
console.log(`Chromium ${browser.version()}`);
const began = performance.now();
for (const [name, run] of Object.entries(SCENARIOS)) {
  if (values.only !== undefined && values.only !== name) continue;
  const start = performance.now();
  try {
    await run({ browser, isFull: values.full, screenshots: values.screenshots }, check);
  } catch (error) {
    check(`${name} comes to its end`, false, error.stack);
  }
  console.log(`     ${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
await browser.close();
console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exit(tally.end());
