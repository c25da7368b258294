// The service is killed under load and started again: the page shows what it acknowledged, and what ran still runs.
import { asOfNow, eventually, retimed, Scene } from './scene.mjs';

/** So many turns have to be acknowledged before the kill. */
const ENOUGH = 15;

export async function checkKilled({ browser, isFull }, check) {
  const scene = await Scene.open();
  const view = await scene.look(browser);
  try {
    for (let round = 0; round < (isFull ? 5 : 1); round++) await killOnce(scene, view.page, round, check);
    // A page that was open meanwhile logs that the service went away, and nothing else.
    const faults = view.faults.filter((text) => !/ERR_|Failed to load|net::/.test(text));
    check('the page itself had no error', faults.length === 0, faults.join(', '));
  } finally {
    await view.close();
    await scene.close();
  }
}

async function killOnce(scene, page, round, check) {
  const start = Date.now();
  const label = (index) => `k${round}x${index}`;
  const live = retimed('c-parallel-tools', { start, label: label('live') });
  // Up to its first running tool.
  const opened = live.findIndex((line) => JSON.parse(line).hook === 'pre_tool_call') + 1;
  await scene.send(asOfNow(live.slice(0, opened)));
  const acknowledged = new Set();
  let isOver = false;
  const feed = (async () => {
    for (let index = 0; !isOver; index++) {
      const lines = retimed('b-two-sequential-tools', { start: Date.now() - 20_000, label: label(index) });
      try {
        await scene.send(lines);
        acknowledged.add(label(index));
      } catch {
        return;
      }
    }
  })();
  await page.goto(scene.url);
  await page.waitForSelector('.turn-line.is-live');
  await eventually('some turns are acknowledged', () => acknowledged.size >= ENOUGH, 30_000);
  await scene.serve.kill('SIGKILL');
  isOver = true;
  await feed;
  await scene.serve.start();
  const ofThisRound = (row) => row.session?.includes(`-k${round}x`);
  const lost = async () => {
    const sessions = new Set(
      (await scene.rows()).filter(ofThisRound).map(({ session }) => session.slice(session.lastIndexOf('-') + 1)),
    );
    return [...acknowledged].filter((one) => !sessions.has(one));
  };
  await eventually('all is shown again', async () => (await lost()).length === 0, 15_000).catch(() => undefined);
  const missing = await lost();
  check(
    `killed under load: all ${acknowledged.size} acknowledged turns are shown again`,
    missing.length === 0 && acknowledged.size >= ENOUGH,
    missing.slice(0, 5).join(', '),
  );
  const isIncomplete = (row) =>
    ofThisRound(row) &&
    acknowledged.has(row.session.slice(row.session.lastIndexOf('-') + 1)) &&
    row.outcome !== 'completed';
  // A turn is shown from its first record on, before the rest of the journal was read again.
  const whole = async () => !(await scene.rows()).some(isIncomplete);
  await eventually('each is read to its end', whole, 15_000).catch(() => undefined);
  const incomplete = (await scene.rows()).filter(isIncomplete);
  check(
    'and each is complete',
    incomplete.length === 0,
    incomplete
      .slice(0, 3)
      .map(({ session, outcome }) => `${session} ${outcome}`)
      .join(', '),
  );
  const isLive = (row) => row.session?.endsWith(`-${label('live')}`);
  const running = (await scene.rows()).find(isLive);
  check('the turn that ran still runs', running?.outcome === 'running' && running.duration === null, running?.outcome);
  // The page that was open finds the service again by itself.
  const isBack = await page
    .waitForFunction(() => document.querySelectorAll('.turn-line.is-live').length === 1, undefined, { timeout: 10_000 })
    .then(
      () => true,
      () => false,
    );
  check('the open page shows it live again', isBack);
  await scene.send(asOfNow(live.slice(opened)));
  const ended = await eventually('it ends', async () => {
    const row = (await scene.rows()).find(isLive);
    return row?.duration !== null && row;
  }).catch(() => undefined);
  check('and goes on to its end', ended?.outcome === 'completed' && ended.trace === running?.trace, ended?.outcome);
  const isEnded = await page
    .waitForFunction(() => document.querySelector('.turn-line.is-live') === null, undefined, { timeout: 10_000 })
    .then(
      () => true,
      () => false,
    );
  check('on the page as well', isEnded);
}
