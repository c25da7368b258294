// What must hold of a page, whatever it shows.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const MOST_ELEMENTS = 1500;

/** @returns what is wrong; nothing when it is as it should be */
export async function pageFaults(page) {
  const facts = await page.evaluate(() => ({
    isWide:
      document.documentElement.scrollWidth > innerWidth ||
      [...document.querySelectorAll('.turn-grid, .span-grid, .panel-body')].some(
        (one) => one.scrollWidth > one.clientWidth,
      ),
    isCut: [...document.querySelectorAll('.turn-line')].some((one) => one.scrollHeight > one.clientHeight),
    elements: document.querySelectorAll('*').length,
    foreign: document.querySelectorAll('#app img, #app script, #app iframe, #app [onerror], #app [onload]').length,
    title: document.title,
    refused: globalThis.refused,
    address: location.href,
  }));
  const faults = [...facts.refused.map((what) => `the policy refused ${what}`)];
  if (facts.isWide) faults.push('scrolls sideways');
  if (facts.isCut) faults.push('a row is higher than its place');
  if (facts.elements > MOST_ELEMENTS) faults.push(`${facts.elements} elements`);
  if (facts.foreign > 0) faults.push('captured markup became elements');
  if (facts.title === 'ran') faults.push('captured markup ran');
  if (facts.address.includes('token=')) faults.push('the token is in the address');
  // By the debugger: the page's own policy lets no script in.
  await page.evaluate(AXE);
  const violations = await page.evaluate(async (runOnly) => {
    const found = await globalThis.axe.run({ runOnly });
    return found.violations.map(({ id, nodes }) => `axe ${id} (${nodes.length}): ${nodes[0].html.slice(0, 160)}`);
  }, RULES);
  return [...faults, ...violations];
}
