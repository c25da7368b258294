// Opens every page at two widths in both themes, runs axe on it, and leaves a screenshot of each to be looked at:
// `node dev/look.mjs FOLDER_OF_OTLP_FILES [FOLDER_FOR_SCREENSHOTS] [word in the names of the shots]`.
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { collectFaults, launchBrowser } from './browser.mjs';
import { generateTurn } from './generate.mjs';
import { HOSTILE } from './hostile.mjs';
import { serveFixtures } from './serve.mjs';

const [folder, target = 'shots', only = ''] = process.argv.slice(2);
mkdirSync(target, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const { server, url, traces, describe } = await serveFixtures({ folder, many: 300 });
const browser = await launchBrowser();
const faults = [];

const turnWhere = (test) => [...traces.keys()].find((trace) => test(describe(trace)));
const kindOf = (turn, kind) => turn.spans.id[turn.spans.kind.indexOf(kind)];
const withBlocked = turnWhere(
  ({ row }) => row.blocked > 0 && row.spans < 10 && row.excerpt !== null && !row.trace.startsWith('bad0'),
);
const withChildren = turnWhere(({ row }) => row.children > 1 && row.spans < 60);
const running = turnWhere(({ row }) => row.duration === null);
const big = generateTurn(20000)[0].trace;
const hostile = 'bad0'.padEnd(32, '0');
const wait = (page) => page.waitForSelector('.span-row');
const open = (trace, span) => `/turn/${trace}${span === undefined ? '' : `/${span}`}`;

const SHOTS = [
  { name: 'turns', path: '/', ready: (page) => page.waitForSelector('.turn-line') },
  { name: 'turns-filtered', path: '/?outcome=blocked', ready: (page) => page.waitForSelector('.turn-line') },
  { name: 'turns-none', path: '/?text=nothing-like-this', ready: (page) => page.waitForSelector('.notice') },
  { name: 'turn-blocked', path: open(withBlocked), ready: wait },
  { name: 'turn-children', path: open(withChildren), ready: wait },
  { name: 'turn-running', path: open(running), ready: wait },
  { name: 'turn-1000', path: open(generateTurn(1000)[0].trace), ready: wait },
  { name: 'turn-20000', path: open(big), ready: wait, act: middle },
  { name: 'span-tool', path: open(withBlocked, kindOf(describe(withBlocked), 4)), ready: detailed },
  { name: 'span-chat', path: open(withChildren, lastChat(withChildren)), ready: detailed },
  { name: 'turn-hostile', path: open(hostile), ready: wait },
  { name: 'span-hostile', path: open(hostile, `${'0'.repeat(14)}20`), ready: detailed },
  { name: 'health', path: '/health', ready: (page) => page.waitForSelector('table') },
  {
    name: 'not-found',
    path: '/turn/ffffffffffffffffffffffffffffffff',
    ready: (page) => page.waitForSelector('.notice'),
    mayFail: true,
  },
];

function lastChat(trace) {
  const { spans } = describe(trace);
  return spans.id[spans.kind.lastIndexOf(2)];
}

async function detailed(page) {
  await page.waitForSelector('.attributes');
}

async function middle(page) {
  await page.evaluate(() => document.querySelector('.span-grid').scrollTo(0, 5000 * 28));
  await page.waitForTimeout(100);
}

for (const width of [1280, 360]) {
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ viewport: { width, height: width === 360 ? 740 : 800 }, colorScheme });
    for (const { name, path, ready, act, mayFail } of SHOTS) {
      if (!name.includes(only)) continue;
      const label = `${name}-${width}-${colorScheme}`;
      const page = await context.newPage();
      if (!mayFail) collectFaults(page, faults, label);
      await page.goto(url + path);
      await ready(page);
      await act?.(page);
      await page.waitForTimeout(150);
      await page.screenshot({ path: join(target, `${label}.png`) });
      await check(page, label);
      await page.close();
    }
    await context.close();
  }
}

/** No page may scroll sideways, be over the bound on elements, have run what is captured text, or fail axe. */
async function check(page, label) {
  const facts = await page.evaluate(() => ({
    wide:
      document.documentElement.scrollWidth > innerWidth ||
      [...document.querySelectorAll('.turn-grid, .span-grid, .panel-body')].some(
        (one) => one.scrollWidth > one.clientWidth,
      ),
    elements: document.querySelectorAll('*').length,
    foreign: document.querySelectorAll('#app img, #app script, #app iframe, #app [onerror], #app [onload]').length,
    title: document.title,
  }));
  if (facts.wide) faults.push(`${label}: scrolls sideways`);
  if (facts.elements > 1500) faults.push(`${label}: ${facts.elements} elements`);
  if (facts.foreign > 0 || facts.title === 'ran') faults.push(`${label}: captured markup became elements`);
  // By the debugger: the page's own policy lets no script in.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }),
  );
  for (const { id, nodes } of violations) {
    faults.push(
      `${label}: axe ${id} (${nodes.length}): ${nodes[0].html.slice(0, 160)} ${nodes[0].failureSummary?.replace(/\s+/g, ' ').slice(0, 300)}`,
    );
  }
}

if (HOSTILE.length === 0) throw new Error('nothing hostile was shown');
await browser.close();
server.close();
console.log(faults.join('\n') || 'no faults');
process.exitCode = faults.length === 0 ? 0 : 1;
