// A session that is deleted is gone from memory and from disk, whenever the service is killed while that is done.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TOKEN } from '../kill/serve-command.mjs';
import { eventually, pause, retimed, Scene } from './scene.mjs';

const SESSIONS = 24;
/** Into the texts of each session, so that its segments take a while to be written again. */
const PADDING = 'pear '.repeat(12_000);
/** From its answer to the kill: before anything was done, while it is looked for, between checkpoints, while files are written. */
const KILLS_AFTER = [0, 300, 1000, 1800, 2400, 2800, 3200];

const wordOf = (index) => `apricot${index}x`;

function planted(index) {
  const lines = retimed('c-parallel-tools', { start: Date.now() - 60_000 + index * 100, label: `d${index}` });
  const texts = /"(user_message|result|output|assistant_response)":"/g;
  let isPadded = false;
  return lines.map((line) =>
    line.replace(texts, (head) => {
      const padding = isPadded ? '' : PADDING;
      isPadded = true;
      return `${head}${wordOf(index)} ${padding}`;
    }),
  );
}

/** How often a word is in any file of the data folder. */
function onDisk(scene, word) {
  let count = 0;
  for (const name of readdirSync(scene.serve.data, { recursive: true })) {
    const path = join(scene.serve.data, name);
    try {
      if (statSync(path).isFile()) count += readFileSync(path, 'latin1').split(word).length - 1;
    } catch {
      // Replaced meanwhile.
    }
  }
  return count;
}

const waiting = async (scene) => (await scene.serve.metrics()).value('waiting_deletions');

async function remove(scene, session) {
  const { status } = await fetch(`${scene.url}/api/sessions/${encodeURIComponent(session)}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  return status;
}

export async function checkDeleted({ browser, isFull }, check) {
  const scene = await Scene.open();
  try {
    for (let index = 0; index < SESSIONS; index++) await scene.send(planted(index));
    const rows = await eventually('all turns are in the list', async () => {
      const all = await scene.rows();
      return all.length === SESSIONS && all.every(({ duration }) => duration !== null) && all;
    });
    const sessionOf = (index) => rows.find(({ session }) => session.endsWith(`-d${index}`)).session;
    const kept = onDisk(scene, wordOf(SESSIONS - 1));
    check('what was said is on disk', kept > 3, String(kept));
    let survived = 0;
    const kills = isFull ? [...KILLS_AFTER, ...KILLS_AFTER.map((millis) => millis + 77)] : KILLS_AFTER;
    const wrong = [];
    for (const [index, after] of kills.entries()) {
      // Right after a start what is gone through once more counts as running.
      const status = await eventually('it can be deleted', async () => {
        const answer = await remove(scene, sessionOf(index));
        return answer !== 409 && answer;
      });
      if (status !== 200) wrong.push(`session ${index}: ${status}`);
      await pause(after);
      if ((await waiting(scene).catch(() => 0)) > 0) survived++;
      await scene.serve.kill('SIGKILL');
      await scene.serve.start();
      if ((await scene.rows()).some(({ session }) => session === sessionOf(index)))
        wrong.push(`${index} is shown again`);
    }
    await eventually('all deletions are done', async () => (await waiting(scene)) === 0, 60_000);
    for (const index of kills.keys()) {
      const left = onDisk(scene, wordOf(index));
      if (left > 0) wrong.push(`${wordOf(index)} is ${left} times on disk`);
    }
    check(
      `${kills.length} sessions deleted with a kill -9 each (${survived} before it was done): none is on disk or shown`,
      wrong.length === 0 && survived >= 3,
      wrong.join(', '),
    );
    const others = await eventually('the others are shown again', async () => {
      const all = await scene.rows();
      return all.length === SESSIONS - kills.length && all;
    }).catch(() => scene.rows());
    const whole = others.filter(({ outcome, spans }) => outcome === 'completed' && spans === rows[0].spans);
    check(
      `the other ${SESSIONS - kills.length} sessions are whole`,
      whole.length === SESSIONS - kills.length && onDisk(scene, wordOf(SESSIONS - 1)) === kept,
      `${whole.length} of ${others.length}`,
    );
    await onThePage(scene, browser, others, check);
  } finally {
    await scene.close();
  }
}

/** By the button, also of a session that still runs. */
async function onThePage(scene, browser, others, check) {
  const { page, faults, close } = await scene.look(browser);
  const [victim] = others;
  const word = wordOf(victim.session.slice(victim.session.lastIndexOf('-d') + 2));
  await page.goto(`${scene.url}/turn/${victim.trace}`);
  await page.waitForSelector('.span-row');
  await page.click('button[title="Delete this session"]');
  await page.click('dialog .danger');
  await page.waitForSelector('.turn-line');
  const isGone = () => page.evaluate((session) => !document.body.textContent.includes(session), victim.session);
  check('deleted on the page, it leads to the turns without it', await eventually('it is gone', isGone));
  await eventually('it is off the disk', () => onDisk(scene, word) === 0, 15_000).catch(() => undefined);
  check('and is off the disk soon after', onDisk(scene, word) === 0, `${word}: ${onDisk(scene, word)}`);
  const live = retimed('c-parallel-tools', { start: Date.now(), label: 'runs' });
  await scene.send(live.slice(0, 12));
  const row = await eventually('it runs', async () =>
    (await scene.rows()).find(({ session, duration }) => session?.endsWith('-runs') && duration === null),
  );
  await page.goto(`${scene.url}/turn/${row.trace}`);
  await page.click('button[title="Delete this session"]');
  await page.click('dialog .danger');
  await page.waitForSelector('dialog [role="alert"]');
  const said = await page.textContent('dialog [role="alert"]');
  check('one that runs is not deleted, and the page says why', /still runs/.test(said), said);
  const unexpected = faults.filter((text) => !/409/.test(text));
  check('without any other fault', unexpected.length === 0, unexpected.join(', '));
  await close();
}
