// The pages as a person uses them: what is seen at once, filters, clicks, keys.
import { eventually, Scene, SHOWN } from './scene.mjs';

export async function checkUse({ browser }, check) {
  const scene = await Scene.open();
  try {
    await scene.showRecordings();
    for (const width of [1280, 360]) {
      const { page, faults, close } = await scene.look(browser, { width });
      const at = (what) => `${width} px: ${what}`;
      await checkStart(scene, page, (what, ...rest) => check(at(what), ...rest));
      await checkTurn(scene, page, (what, ...rest) => check(at(what), ...rest));
      if (width === 1280) {
        await checkKeys(scene, page, check);
        await checkLinks(scene, page, check);
        await checkWidths(scene, page, check);
      }
      check(at('no error meanwhile'), faults.length === 0, faults.join(', '));
      await close();
    }
  } finally {
    await scene.close();
  }
}

const pathOf = (page) => page.evaluate(() => location.pathname + location.search);
const lines = (page) => page.locator('.turn-line').count();

async function checkStart(scene, page, check) {
  await page.goto(scene.url);
  await page.waitForSelector('.turn-line');
  check('the newest turns are there', (await lines(page)) >= Math.min(5, SHOWN.length));
  await page.goto(`${scene.url}/?outcome=blocked`);
  await page.waitForSelector('.blocked-line');
  const blocked = (await scene.rows('&outcome=blocked')).find((row) =>
    row.blockedCalls.some(({ by }) => by === 'a plugin'),
  );
  const call = blocked.blockedCalls[0];
  await page.goto(scene.url);
  const line = page.locator(`.blocked-line[href$="/${call.span}"]`);
  await eventually('the blocked call is in the list', async () => {
    if ((await line.count()) > 0) return true;
    await page.locator('.turn-grid').evaluate((grid) => grid.scrollBy(0, 300));
    return false;
  });
  const text = await line.textContent();
  const flat = text.replace(/\s+/g, ' ');
  check(
    'the start page says which call was blocked, by whom, in words',
    /terminal blocked by a plugin/.test(flat),
    flat,
  );
  const why = call.why.slice(0, 30);
  check('and why', flat.includes(why), `${flat} | ${why}`);
  await line.click();
  await page.waitForSelector('.attributes');
  check('one click shows the call', (await pathOf(page)) === `/turn/${blocked.trace}/${call.span}`);
  check('with its whole reason', (await page.textContent('.panel-body')).includes(call.why));
}

async function checkTurn(scene, page, check) {
  const row = (await scene.rows()).find(({ children }) => children > 1);
  await page.goto(`${scene.url}/turn/${row.trace}`);
  await page.waitForSelector('.span-row');
  const shown = await page.evaluate(() => ({
    count: Number(document.querySelector('.span-grid').getAttribute('aria-rowcount')) - 1,
    total: document
      .querySelector('#time-spent')
      .textContent.match(/went ([\d.]+) (\S+)/)
      ?.slice(1),
    parts: [...document.querySelectorAll('.time-parts b')].map(({ textContent }) => textContent),
    bar: [...document.querySelectorAll('.time-bar > span')].reduce(
      (sum, { style }) => sum + Number.parseFloat(style.width),
      0,
    ),
  }));
  check('every span of the turn has a row', shown.count === row.spans, `${shown.count} of ${row.spans}`);
  const sum = shown.parts.reduce((all, text) => all + Number.parseFloat(text), 0);
  const sameUnit = shown.parts.every((text) => text === '0' || text.endsWith(` ${shown.total[1]}`));
  check(
    'the shown parts of the time sum to the shown duration',
    sameUnit && sum.toFixed(2) === Number(shown.total[0]).toFixed(2),
    `${shown.parts.join(' + ')} = ${shown.total.join(' ')}`,
  );
  check('and the bar to its width', Math.abs(shown.bar - 100) < 0.01, `${shown.bar} %`);
  await page.click('.time-parts button >> nth=0');
  check(
    'one click leads to where most of the time went',
    (await page.locator('.span-row[data-active="true"]').count()) === 1,
  );
}

async function checkKeys(scene, page, check) {
  const meant = () => page.evaluate(() => document.activeElement?.getAttribute('aria-activedescendant'));
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForTimeout(80);
  };
  await page.goto(scene.url);
  await page.waitForSelector('.turn-line');
  const { total } = await scene.api('/api/turns?limit=1');
  await press('ArrowDown', 'ArrowDown');
  check('arrows go through the turns', (await meant()) === 'turn-1', await meant());
  await press('End');
  check('End is the last one', (await meant()) === `turn-${total - 1}`, await meant());
  await press('Home', '/');
  await page.keyboard.type('exercise');
  const isFiltered = async (count) => {
    await page.waitForFunction((wanted) => document.querySelectorAll('.turn-line').length === wanted, count);
  };
  const found = await scene.rows('&text=exercise');
  await eventually('the text is in the address', async () => (await pathOf(page)) === '/?text=exercise');
  if (found.length > 0) await isFiltered(found.length);
  check('text filters the turns, and is in the address', (await lines(page)) === found.length);
  for (const outcome of ['completed', 'interrupted', 'errors', 'blocked']) {
    await page.goto(scene.url);
    await page.waitForSelector('.turn-line');
    await page.locator('.filters select').first().selectOption(outcome);
    const wanted = await scene.rows(`&outcome=${outcome}`);
    await eventually(`${outcome} is in the address`, async () => (await pathOf(page)) === `/?outcome=${outcome}`);
    const shown = () =>
      page.evaluate(() => Number(document.querySelector('.turn-grid')?.getAttribute('aria-rowcount') ?? 1) - 1);
    const isSo = await eventually(outcome, async () => (await shown()) === wanted.length, 3000).catch(() => false);
    check(
      `outcome ${outcome}: ${wanted.length} turns`,
      isSo && wanted.length > 0 && wanted.length < total,
      String(await shown()),
    );
  }
  await page.focus('.turn-grid');
  await press('ArrowDown', 'Enter');
  await page.waitForSelector('.span-row');
  check('Enter opens a turn', /^\/turn\/[0-9a-f]{32}$/.test(await pathOf(page)));
  await press('ArrowDown', 'ArrowDown', 'Enter');
  await page.waitForSelector('.attributes');
  check('and a span', /^\/turn\/[0-9a-f]{32}\/[0-9a-f]{16}$/.test(await pathOf(page)));
  await page.focus('.panel-close');
  await press('Escape');
  await press('Escape');
  await page.waitForSelector('.turn-line');
  check('Esc leads back to the turns', (await pathOf(page)).startsWith('/?') || (await pathOf(page)) === '/');
}

/** From a turn to the one behind it and back. */
async function checkLinks(scene, page, check) {
  const [row, next] = await eventually('a turn that another one follows', async () => {
    for (const one of await scene.rows()) {
      const link = (await scene.api(`/api/turns/${one.trace}`)).links.find(({ relation }) => relation === 'next_turn');
      if (link !== undefined) return [one, link.trace];
    }
    return undefined;
  });
  await page.goto(`${scene.url}/turn/${row.trace}`);
  await page.click('.turn-head a:text("Next turn")');
  await eventually('the next turn', async () => (await pathOf(page)) === `/turn/${next}`);
  await page.click('.turn-head a:text("Previous turn")');
  const isBack = await eventually('the turn before', async () => (await pathOf(page)) === `/turn/${row.trace}`, 3000);
  check('a turn leads to the next one, and that one back', isBack);
}

/** Figures of a row that are seen at every width. */
async function checkWidths(scene, page, check) {
  const { trace, children } = (await scene.rows()).find((row) => row.children > 1);
  for (const width of [360, 820, 1000, 1280]) {
    await page.setViewportSize({ width, height: 4000 });
    await page.goto(scene.url);
    const cell = page.locator(`.turn-line:has(a[href="/turn/${trace}"]) .cell-children`);
    await cell.waitFor({ timeout: 5000 }).catch(() => undefined);
    const isSeen =
      (await cell.count()) === 1 && (await cell.isVisible()) && (await cell.textContent()).startsWith(String(children));
    const isWide = await page.evaluate(() => {
      const grid = document.querySelector('.turn-grid');
      return grid.scrollWidth > grid.clientWidth || document.documentElement.scrollWidth > innerWidth;
    });
    check(`${width} px: the number of children is seen, and nothing is cut off sideways`, isSeen && !isWide);
  }
}
