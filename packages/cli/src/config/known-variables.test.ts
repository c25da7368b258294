import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkVariables, KNOWN_VARIABLES } from './known-variables.js';
import { loadConfig } from './load-config.js';

describe('variables that nobody reads', () => {
  it.each([
    [
      'HERMES_OBSERVER_CAPTUR',
      'none',
      'unknown variable HERMES_OBSERVER_CAPTUR; did you mean HERMES_OBSERVER_CAPTURE?',
    ],
    ['hermes_observer_capture', 'none', 'did you mean HERMES_OBSERVER_CAPTURE?'],
    ['HERMES_OBSERVER_PORT', '4891', 'did you mean HERMES_OBSERVER_HTTP_PORT?'],
    ['HERMES_OBSERVER_QUEUE_RECORD', '1', 'did you mean HERMES_OBSERVER_QUEUE_RECORDS?'],
    ['HERMES_OBSERVER_LIMITS_LINE-BYTES', '1MiB', 'did you mean HERMES_OBSERVER_LIMITS_LINE_BYTES?'],
    [
      'HERMES_OBSERVER_XYZZYQUUX',
      '1',
      'unknown variable HERMES_OBSERVER_XYZZYQUUX; see docs/serve.md for all settings',
    ],
  ])('%s is refused', async (name, value, message) => {
    await expect(loadConfig({ env: { HOME: '/nowhere', [name]: value } })).rejects.toMatchObject({
      code: 'HO_CONFIG_KEY',
      message: expect.stringContaining(message),
    });
  });

  it('are all named at once', () => {
    expect(() => checkVariables({ HERMES_OBSERVER_SOKET: '/s', HERMES_OBSERVER_DATTA: '/d' })).toThrow(
      'unknown variable HERMES_OBSERVER_DATTA; did you mean HERMES_OBSERVER_DATA? ' +
        'unknown variable HERMES_OBSERVER_SOKET; did you mean HERMES_OBSERVER_SOCKET?',
    );
  });

  it('count as not set when empty, and may be those of a cluster', () => {
    checkVariables({
      HERMES_OBSERVER_CAPTUR: '',
      HERMES_OBSERVER_SERVICE_HOST: '10.0.0.7',
      HERMES_OBSERVER_SERVICE_PORT: '4890',
      HERMES_OBSERVER_SERVICE_PORT_HTTP: '4890',
      HERMES_OBSERVER_PORT: 'tcp://10.0.0.7:4890',
      HERMES_OBSERVER_PORT_4890_TCP: 'tcp://10.0.0.7:4890',
      HERMES_OBSERVER_PORT_4890_TCP_ADDR: '10.0.0.7',
    });
  });
});

it('all that the plugin in the agent reads are known', () => {
  const settings = readFileSync(
    new URL('../../../../integrations/hermes-agent/hermes_observer_forwarder/settings.py', import.meta.url),
    'utf8',
  );
  const names = [...settings.matchAll(/^ {4}\("([A-Z_]+)", /gm)].map(([, name]) => `HERMES_OBSERVER_${name}`);
  expect(names).toContain('HERMES_OBSERVER_SPOOL_FILE_BYTES');
  expect(names.filter((name) => !KNOWN_VARIABLES.includes(name))).toEqual([]);
  expect(KNOWN_VARIABLES).toHaveLength(new Set(KNOWN_VARIABLES).size);
});
