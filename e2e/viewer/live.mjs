// What runs, while it runs: a turn is fed record by record, and the page shows each at once.
import { pageFaults } from './page-faults.mjs';
import { asOfNow, eventually, pause, retimed, Scene } from './scene.mjs';

/** What is meant to be kept; busy machines are given `BOUND`. */
const AIM = 300;
const BOUND = 1000;

/** When the page first shows what `moment` waits for, as it tells the time of day in ms. */
const seen = (page, moment, arg) =>
  page.waitForFunction(moment, arg, { polling: 'raf', timeout: 10_000 }).then(
    (handle) => handle.jsonValue(),
    () => Number.POSITIVE_INFINITY,
  );

export async function checkLive({ browser, isFull }, check) {
  const scene = await Scene.open();
  const list = await scene.look(browser);
  const turn = await scene.look(browser, { width: 360, colorScheme: 'dark' });
  const delays = [];
  try {
    for (let round = 0; round < (isFull ? 10 : 3); round++) {
      const lines = retimed('b-two-sequential-tools', { start: Date.now(), label: `live${round}` });
      await list.page.waitForSelector('.turn-line, .notice, .turn-grid, main');
      const isThere = seen(
        list.page,
        (count) => document.querySelectorAll('.turn-line.is-live').length >= count && Date.now(),
        1,
      );
      await scene.send(asOfNow(lines.slice(0, 2)));
      let sent = Date.now();
      await scene.send(asOfNow(lines.slice(2, 4)));
      delays.push({ what: 'turn in the list', millis: (await isThere) - sent });
      const row = (await scene.rows('&live=1'))[0];
      await turn.page.goto(`${scene.url}/turn/${row.trace}`);
      await turn.page.waitForSelector('.is-running');
      if (round === 0) await checkGrowth(turn.page, check);
      const rowsOf = () =>
        turn.page.evaluate(() => Number(document.querySelector('.span-grid').getAttribute('aria-rowcount')));
      const before = await rowsOf();
      await scene.send(asOfNow(lines.slice(4, 5)));
      await pause(200);
      const isOpen = seen(
        turn.page,
        (count) => Number(document.querySelector('.span-grid').getAttribute('aria-rowcount')) > count && Date.now(),
        before,
      );
      sent = Date.now();
      await scene.send(asOfNow(lines.slice(5, 6)));
      delays.push({ what: 'running tool in the turn', millis: (await isOpen) - sent });
      if (round === 0) {
        const wrong = [...(await pageFaults(turn.page)), ...(await pageFaults(list.page))];
        check('live pages are as the others', wrong.length === 0, wrong.join('\n     '));
      }
      await scene.send(asOfNow(lines.slice(6, -3)));
      await pause(200);
      const isOver = seen(turn.page, () => document.querySelector('.is-running') === null && Date.now());
      sent = Date.now();
      await scene.send(asOfNow(lines.slice(-3)));
      delays.push({ what: 'end of the turn', millis: (await isOver) - sent });
      await eventually(
        'the turn has ended in the list',
        async () => (await list.page.locator('.turn-line.is-live').count()) === 0,
      );
    }
    for (const what of new Set(delays.map((one) => one.what))) {
      const all = delays.filter((one) => one.what === what).map(({ millis }) => millis);
      const most = Math.max(...all);
      const beyond = most > AIM ? `, more than the ${AIM} ms that are aimed at` : '';
      check(
        `${what}: on the screen within ${BOUND} ms`,
        most <= BOUND,
        `${all.sort((a, b) => a - b).join(', ')} ms${beyond}`,
      );
    }
    await checkPath(scene, browser, check);
    const faults = [...list.faults, ...turn.faults];
    check('no error while it runs', faults.length === 0, faults.join(', '));
  } finally {
    await Promise.all([list.close(), turn.close()]);
    await scene.close();
  }
}

async function checkGrowth(page, check) {
  const shown = await page.evaluate(async () => {
    const texts = new Set();
    for (let step = 0; step < 20; step++) {
      texts.add(document.querySelector('#time-spent').textContent);
      await new Promise((done) => setTimeout(done, 60));
    }
    return texts.size;
  });
  check('a live turn grows', shown >= 5, `${shown} durations in 1.2 s`);
}

/** Where the time went moves while the turn runs, without being asked for, and is at its end what the service says of it. */
async function checkPath(scene, browser, check) {
  const lines = retimed('c-parallel-tools', { start: Date.now(), label: 'path' });
  const cut = lines.findIndex((line) => JSON.parse(line).hook === 'pre_llm_call') + 1;
  await scene.send(asOfNow(lines.slice(0, cut)));
  const { trace } = await eventually('the turn runs', async () =>
    (await scene.rows('&live=1')).find(({ session }) => session?.endsWith('-path')),
  );
  const { page, faults, close } = await scene.look(browser);
  await page.goto(`${scene.url}/turn/${trace}`);
  await page.waitForSelector('.is-running');
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes('/api/turns/')) asked++;
  });
  const shown = () => page.evaluate(() => document.querySelector('.time-parts').textContent);
  const seenParts = new Set([await shown()]);
  for (const line of lines.slice(cut)) {
    await scene.send(asOfNow([line]));
    await pause(60);
    seenParts.add(await shown());
  }
  const { row, path } = await eventually('the turn is over', async () => {
    const turn = await scene.api(`/api/turns/${trace}`);
    return turn.row.duration !== null && turn;
  });
  await page.waitForFunction(() => document.querySelector('.is-running') === null);
  await pause(300);
  const live = await shown();
  check('where the time went moves while a turn runs', seenParts.size >= 8, `${seenParts.size} states`);
  check('and is told, not asked for', asked === 0, `${asked} requests`);
  await page.reload();
  await page.waitForSelector('.span-row');
  const sum = Object.values(path.parts).reduce((all, part) => all + part, 0);
  const final = await shown();
  check(
    'at its end it is what it is for who comes later, and sums to the duration',
    live === final && sum === row.duration,
    `${live} | ${final}`,
  );
  check('without any error', faults.length === 0, faults.join(', '));
  await close();
}
