// Every page with recordings of real agents, at two widths, in the two themes.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pageFaults } from './page-faults.mjs';
import { asOfNow, eventually, retimed, Scene } from './scene.mjs';

const SHOTS = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const MOST_BYTES = 150_000;
/** In the repository: these, and no more. */
const KEPT = { 1280: ['turns', 'turn', 'span', 'health'], 360: ['turns'] };
/** So high are the wide ones. */
const SHOT_HEIGHT = 640;
const LOOKS = [
  { width: 1280, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
];
const MORE_LOOKS = [
  { width: 1280, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
];

export async function checkPages({ browser, isFull, screenshots }, check) {
  const scene = await Scene.open();
  try {
    await scene.showRecordings();
    // One that goes on: its first tool has been called.
    const lines = retimed('b-two-sequential-tools', { start: Date.now(), label: 'live' });
    await scene.send(asOfNow(lines.slice(0, 6)));
    await eventually('a live turn is in the list', async () =>
      (await scene.rows()).some((row) => row.duration === null),
    );
    const rows = await scene.rows();
    const tour = await tourOf(scene, rows);
    await checkSums(scene, rows, check);
    for (const look of isFull ? [...LOOKS, ...MORE_LOOKS] : LOOKS) {
      const { page, faults, close } = await scene.look(browser, look);
      for (const { name, path, ready } of tour) {
        await page.goto(scene.url + path);
        await page.waitForSelector(ready);
        await page.waitForTimeout(150);
        const label = `${name}, ${look.width} px, ${look.colorScheme}`;
        if (screenshots && LOOKS.includes(look) && KEPT[look.width].includes(name))
          await shoot(page, `${name}-${look.width}-${look.colorScheme}`, check);
        const wrong = [...(await pageFaults(page)), ...faults.splice(0)];
        check(
          `${label}: no error, no refusal, nothing sideways, accessible`,
          wrong.length === 0,
          wrong.join('\n     '),
        );
      }
      await close();
    }
  } finally {
    await scene.close();
  }
}

async function tourOf(scene, rows) {
  const blocked = rows.find((row) => row.blocked > 0);
  const children = rows.find((row) => row.children > 1);
  const live = rows.find((row) => row.duration === null);
  const { spans } = await scene.api(`/api/turns/${children.trace}`);
  const [call] = blocked.blockedCalls;
  return [
    { name: 'turns', path: '/', ready: '.blocked-line' },
    { name: 'turns with blocked calls', path: '/?outcome=blocked', ready: '.blocked-line' },
    { name: 'no turns', path: '/?text=nothing-like-this', ready: '.notice' },
    { name: 'turn', path: `/turn/${children.trace}`, ready: '.span-row' },
    { name: 'turn with a blocked call', path: `/turn/${blocked.trace}`, ready: '.span-row' },
    { name: 'live turn', path: `/turn/${live.trace}`, ready: '.is-running' },
    { name: 'blocked call', path: `/turn/${blocked.trace}/${call.span}`, ready: '.attributes' },
    { name: 'span', path: `/turn/${children.trace}/${spans.id[spans.kind.indexOf(2)]}`, ready: '.conversation' },
    { name: 'health', path: '/health', ready: '.health-page table' },
  ];
}

/** The parts of where the time went are whole nanoseconds, and sum to the duration. */
async function checkSums(scene, rows, check) {
  const wrong = [];
  const ended = rows.filter((row) => row.duration !== null);
  for (const { trace, duration } of ended) {
    const { path } = await scene.api(`/api/turns/${trace}`);
    const sum = Object.values(path.parts).reduce((all, part) => all + part, 0);
    if (sum !== duration) wrong.push(`${trace}: ${sum}, not ${duration}`);
  }
  check(
    `the parts of the time of ${ended.length} turns sum to their durations`,
    wrong.length === 0 && ended.length > 11,
    wrong.join(', '),
  );
}

async function shoot(page, name, check) {
  mkdirSync(SHOTS, { recursive: true });
  const path = join(SHOTS, `${name}.png`);
  const size = page.viewportSize();
  if (size.width > 600) await page.setViewportSize({ ...size, height: SHOT_HEIGHT });
  await page.waitForTimeout(150);
  await page.screenshot({ path });
  await page.setViewportSize(size);
  check(`docs/screenshots/${name}.png is small`, statSync(path).size < MOST_BYTES, `${statSync(path).size} bytes`);
}
