import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from '../config/load-config.js';
import { policyFindings } from './policy-findings.js';
import type { SeenProducer } from './record-findings.js';
import type { ServiceStatus } from './service-status.js';

let folder: string;
let file: string;
let server: Server;
let url: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'policy-check-'));
  chmodSync(folder, 0o700);
  file = join(folder, 'policy.yaml');
  server = createServer((_, response) => response.writeHead(405).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const agent = (hello: object = {}): SeenProducer => ({
  ...{ producer: 'p1', lastSeen: 1, records: 30, missing: 0, dropped: {}, hooks: [] },
  hello: { forwarder_version: '1', surface: 'cli', ...hello },
});

async function findings(yaml: string | undefined, status?: ServiceStatus, producers: readonly SeenProducer[] = []) {
  if (yaml !== undefined) writeFileSync(file, yaml, { mode: 0o600 });
  const flags = yaml === undefined ? {} : { policy: file };
  const found = await policyFindings(await loadConfig({ flags, env: { HOME: folder } }), status, producers);
  return found.map(({ level, text, mend }) => `${level} ${text}${mend === undefined ? '' : ` → ${mend}`}`);
}

const GOOD = 'hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n';
const running = () => ({ policy: { name: 'policy', file } });

it('nothing is said where nobody wants a policy', async () => {
  expect(await findings(undefined)).toEqual([]);
  expect(await findings(undefined, {}, [agent()])).toEqual([]);
});

it('a file that is faulty, and one that others may change', async () => {
  expect(await findings('hooks:\n  PreToolUse:\n    - use: Nothing\n')).toEqual([
    expect.stringMatching(/^fault .*policy\.yaml:3:12: /),
  ]);
  await findings(GOOD);
  chmodSync(file, 0o666);
  expect(await findings(undefined)).toEqual([]);
  const config = await loadConfig({ flags: { policy: file }, env: { HOME: folder } });
  const warnings = (await policyFindings(config, undefined, [])).filter(({ level }) => level === 'warning');
  expect(warnings.map(({ text }) => text)).toEqual([expect.stringContaining('can be changed by others')]);
});

it('a service without it, or with another one', async () => {
  expect(await findings(GOOD, running())).toEqual([expect.stringMatching(/^ok the policy policy .* 1 hooks$/)]);
  expect(await findings(GOOD, {})).toContainEqual(
    expect.stringMatching(/^fault the service that runs has no policy → start the service again/),
  );
  expect(await findings(GOOD, { policy: { name: 'x', file: '/elsewhere' } })).toContainEqual(
    expect.stringMatching(/^warning .*another policy, \/elsewhere/),
  );
  expect(await findings(undefined, running())).toEqual([
    expect.stringMatching(/^note the service was started with the policy .* → nothing has to be done/),
  ]);
});

it('a channel that answers, and one that does not', async () => {
  const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
  const yaml = `channels:\n  ops: { kind: webhook, url: '${url}', secret: '${secret}' }\n${GOOD}`;
  expect(await findings(yaml)).toContainEqual(expect.stringMatching(/^ok channel ops: 127\.0\.0\.1:\d+ answers$/));
  server.close();
  server.closeAllConnections();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const [, found = ''] = await findings(yaml);
  expect(found).toMatch(
    /^fault channel ops: 127\.0\.0\.1:\d+ does not answer: nothing listens there \(ECONNREFUSED\) → /,
  );
  expect(found).not.toContain('whsec');
});

it('an agent that does not ask, and one that asks in vain', async () => {
  expect(await findings(GOOD, running(), [agent()])).toContainEqual(
    expect.stringMatching(/^warning cli \(p1\) does not ask the policy.* → set HERMES_OBSERVER_POLICY=on/),
  );
  expect(await findings(GOOD, running(), [agent({ policy: 'on' })])).toHaveLength(1);
  expect(await findings(undefined, {}, [agent({ policy: 'on' })])).toEqual([
    expect.stringMatching(/^fault cli \(p1\) asks a policy, and the service has none/),
  ]);
});

it('hooks that no call was for are named, once there were calls', async () => {
  const seen = (calls: number, unmatched: readonly string[]) => ({
    policy: { name: 'policy', file, calls, unmatched },
  });
  expect(await findings(GOOD, seen(0, ['Payments']))).toHaveLength(1);
  expect(await findings(GOOD, seen(9, []))).toHaveLength(1);
  expect(await findings(GOOD, seen(9, ['Payments']))).toContainEqual(
    expect.stringMatching(/^note of 9 calls since the service was started none was for: Payments → .*`match`/),
  );
});
