// The Chromium of the system; where there is none, that of the distribution.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

function findChromium() {
  const named = process.env.CHROME_PATH;
  if (named !== undefined) {
    if (!existsSync(named)) throw new Error(`CHROME_PATH: there is no ${named}`);
    return named;
  }
  const folders = (process.env.PATH ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

function installChromium() {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return;
  console.log('no Chromium here: apt-get install chromium');
  const run = (...args) =>
    spawnSync('apt-get', ['-qq', '-y', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: 600_000,
    });
  run('update');
  run('install', '--no-install-recommends', 'chromium');
}

/** @returns a browser, or undefined where there is none */
export async function openBrowser() {
  if (findChromium() === undefined) installChromium();
  const executablePath = findChromium();
  if (executablePath === undefined) return;
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
