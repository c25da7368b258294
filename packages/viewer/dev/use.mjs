// Uses the page as a person does, by keys and clicks: `node dev/use.mjs FOLDER_OF_OTLP_FILES`. Fails where it does not answer.
import assert from 'node:assert/strict';
import { collectFaults, launchBrowser } from './browser.mjs';
import { generateTurn } from './generate.mjs';
import { serveFixtures } from './serve.mjs';

const { server, url } = await serveFixtures({ folder: process.argv[2], many: 4000 });
const browser = await launchBrowser();
const faults = [];
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
collectFaults(page, faults, 'page');
const path = () => page.evaluate(() => location.pathname + location.search);
const active = () => page.evaluate(() => document.querySelector('[data-active="true"]')?.textContent ?? '');
const meant = () => page.evaluate(() => document.activeElement?.getAttribute('aria-activedescendant'));
const press = async (...keys) => {
  for (const key of keys) await page.keyboard.press(key);
  await page.waitForTimeout(60);
};

// The list: one Tab stop, arrows, pages, the end of what is loaded, text.
await page.goto(url);
await page.waitForSelector('.turn-line');
await press('ArrowDown', 'ArrowDown');
assert.equal(await meant(), 'turn-1');
await press('End');
assert.match(await meant(), /^turn-\d{3,}$/);
const { total } = await (await fetch(`${url}/api/turns?limit=1`)).json();
for (let step = 0; step < 30; step++) await press('End');
assert.equal(await meant(), `turn-${total - 1}`, 'the end of the list comes by pages');
await press('Home');
assert.equal(await meant(), 'turn-0');
await press('/');
await page.keyboard.type('1000 spans');
await page.waitForFunction(() => document.querySelectorAll('.turn-line').length === 1);
assert.equal(await path(), '/?text=1000+spans');
await press('Escape', 'ArrowDown', 'Enter');
await page.waitForSelector('.span-row');
assert.equal(await path(), `/turn/${generateTurn(1000)[0].trace}`);

// The tree: focus is there at once; one Tab stop; fold, unfold, parent, type to find, Enter, Esc.
assert.equal(await page.evaluate(() => document.activeElement?.className), 'span-grid');
assert.equal(
  await page.evaluate(
    () => document.querySelectorAll('.span-grid [tabindex="0"], .span-grid button, .span-grid a').length,
  ),
  0,
);
await press('ArrowDown');
assert.equal(await meant(), 'span-0');
const count = () =>
  page.evaluate(() =>
    Number(
      document.querySelector('.span-grid').ariaRowCount ??
        document.querySelector('.span-grid').getAttribute('aria-rowcount'),
    ),
  );
assert.equal(await count(), 1001);
await press('ArrowLeft');
assert.equal(await count(), 2);
await press('ArrowRight');
assert.equal(await count(), 1001);
await page.keyboard.type('delegate');
await page.waitForTimeout(80);
assert.match(await active(), /delegate_task/);
await page.waitForTimeout(950);
await press('Space');
assert.ok((await count()) < 1001);
await press('Space', 'ArrowRight', 'ArrowLeft', 'ArrowRight');
await press('End');
assert.equal(await meant(), 'span-999');
await press('PageUp', 'Home');
assert.equal(await meant(), 'span-0');
await page.click('text=Fold child agents');
assert.ok((await count()) < 900);
await page.click('text=Unfold all');
await page.click('text=Next problem');
assert.match(await active(), /blocked|error|timeout|cancelled/);
await page.click('.time-parts button >> nth=0');
assert.ok((await meant()) === null || (await active()).length > 0);
await page.focus('.span-grid');
await press('Enter');
await page.waitForSelector('.attributes');
assert.match(await path(), /^\/turn\/[0-9a-f]+\/[0-9a-f]+$/);
await press('ArrowDown');
await page.click('text=Zoom to span');
await page.click('text=Whole turn');
await page.focus('.panel-close');
await press('Escape');
assert.match(await path(), /^\/turn\/[0-9a-f]+$/);
await press('Escape');
await page.waitForSelector('.turn-line');
await page.goBack();
await page.waitForSelector('.span-row');

// The delete dialog keeps by default; a click on a blocked call of the list shows it and why.
await page.click('[title="Delete this session"]');
await page.waitForSelector('dialog[open]');
assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Keep');
await press('Escape');
await page.goto(url);
await page.click('.blocked-line >> nth=0');
await page.waitForSelector('.attributes');
assert.match(await page.textContent('.panel-body'), /blocked/);
await press('?');
await page.waitForSelector('dialog[open]');

// What runs grows; with little motion once a second.
for (const reducedMotion of ['no-preference', 'reduce']) {
  const calm = await browser.newContext({ reducedMotion });
  const live = await calm.newPage();
  await live.goto(url);
  await live.click('.turn-line.is-live .cell-start');
  await live.waitForSelector('.is-running');
  const widths = await live.evaluate(async () => {
    const seen = new Set();
    for (let step = 0; step < 60; step++) {
      await new Promise((done) => setTimeout(done, 50));
      seen.add(document.querySelector('.is-running').style.width);
    }
    return seen.size;
  });
  assert.ok(
    reducedMotion === 'reduce' ? widths >= 2 && widths <= 5 : widths > 20,
    `${reducedMotion}: ${widths} widths in 3 s`,
  );
  await calm.close();
}
await browser.close();
server.close();
assert.deepEqual(faults, []);
console.log('all answered');
