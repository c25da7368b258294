// Who may look: the token, its cookie, Host and Origin, on the service as it is started by a person.
import { request } from 'node:http';
import { TOKEN } from '../kill/serve-command.mjs';
import { Scene } from './scene.mjs';

/** `fetch` lets nobody set Host. */
const send = (url, { method = 'GET', headers = {} } = {}) =>
  new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve({ status: answer.statusCode, headers: answer.headers }));
    });
    asked.once('error', reject).end();
  });

const PATHS = ['/', '/health', '/turn/abc', '/api/turns', '/api/health', '/api/live'];

export async function checkAccess({ browser }, check) {
  const scene = await Scene.open();
  try {
    const { url } = scene;
    const statuses = async (headers) =>
      Promise.all(PATHS.map(async (path) => (await send(url + path, { headers })).status));
    const nobody = await statuses({});
    check(
      'nobody sees anything without the token',
      nobody.every((status) => status === 401),
      nobody.join(' '),
    );
    const guess = await statuses({ cookie: `hermes_observer=${TOKEN}`, authorization: 'Bearer guess' });
    check(
      'nor with a guess, or the token as the cookie',
      guess.every((status) => status === 401),
      guess.join(' '),
    );
    const entry = await send(`${url}/?token=${TOKEN}`);
    const [made = ''] = entry.headers['set-cookie'] ?? [];
    check('the token leads to an address without it', entry.status === 303 && entry.headers.location === '/');
    check(
      'its cookie is HttpOnly and SameSite=Strict, and does not hold it',
      /; HttpOnly; SameSite=Strict; Path=\/$/.test(made) && !made.includes(TOKEN),
      made.replace(/=.{8,}?;/, '=…;'),
    );
    const cookie = made.split(';')[0];
    const read = await send(`${url}/api/turns`, { headers: { cookie } });
    check('the cookie is good for reading', read.status === 200);
    check('every answer has the policy', /default-src 'none'/.test(read.headers['content-security-policy'] ?? ''));
    const foreign = [
      ['another Host', { cookie, host: 'evil.example' }],
      ['another Origin', { cookie, origin: 'http://evil.example' }],
      ['another site', { cookie, 'sec-fetch-site': 'cross-site' }],
    ];
    for (const [what, headers] of foreign) {
      const { status } = await send(`${url}/api/turns`, { headers });
      check(`${what} is refused`, status === 401 || status === 403, String(status));
    }
    const writes = [
      ['spans', 'POST', '/v1/traces'],
      ['records', 'POST', '/v1/records'],
      ['a deletion from nowhere', 'DELETE', '/api/sessions/s'],
    ];
    for (const [what, method, path] of writes) {
      const { status } = await send(url + path, { method, headers: { cookie, 'content-type': 'application/json' } });
      check(`the cookie is not good for ${what}`, status === 401, String(status));
    }
    const stranger = await browser.newPage();
    await stranger.goto(url);
    check(
      'a person without the token is told what to do',
      (await stranger.textContent('body')).includes('hermes-observer view'),
    );
    await stranger.close();
    const { page, close } = await scene.look(browser);
    const seen = await page.evaluate(() =>
      [location.href, document.cookie, document.referrer, document.body.innerHTML].join(' '),
    );
    check('the page holds neither token nor cookie', !seen.includes(TOKEN) && !seen.includes(cookie.split('=')[1]));
    await close();
    check('the log does not hold the token', !scene.serve.log.includes(TOKEN));
  } finally {
    await scene.close();
  }
}
