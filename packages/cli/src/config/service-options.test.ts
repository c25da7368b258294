import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from './load-config.js';
import { serviceOptions } from './service-options.js';

async function optionsOf(file: object) {
  const folder = mkdtempSync(join(tmpdir(), 'options-'));
  try {
    writeFileSync(join(folder, 'config.yaml'), JSON.stringify(file));
    return serviceOptions(await loadConfig({ env: { HERMES_OBSERVER_CONFIG: join(folder, 'config.yaml') } }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('redacts spans as the settings say', async () => {
  const { redaction } = await optionsOf({
    redaction: { enabled: true, patterns: ['ipv4', '-email'], keys: ['customerName'], mode: 'remove' },
  });
  expect(redaction).toEqual({
    patterns: { ipv4: true, email: false },
    keys: ['customerName'],
    paths: [],
    mode: 'remove',
    salt: undefined,
  });
  expect(await optionsOf({})).not.toHaveProperty('redaction');
});

it('does not let rules stand that nobody follows', async () => {
  await expect(optionsOf({ redaction: { keys: ['customerName'] } })).rejects.toThrow(/set redaction\.enabled: true/);
  await expect(optionsOf({ redaction: { enabled: true, patterns: ['emial'] } })).rejects.toThrow(/kinds to look for/);
});
