// The system's Chromium for the checks here: `CHROMIUM` names another one.
import { chromium } from 'playwright-core';

export function launchBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--enable-precise-memory-info', '--js-flags=--expose-gc'],
  });
}

/** What a page threw, logged as an error, or was refused by its policy. */
export function collectFaults(page, faults, label) {
  page.on('pageerror', (error) => faults.push(`${label}: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`${label}: ${message.text()}`);
  });
}
