import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HookRecord } from '@hermes-observer/core';
import { readSegments } from '@hermes-observer/core/segments';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../jaeger/wait-for.js';
import { Agent, sandboxFault } from './agent.js';
import { RELEASES } from './scenarios.js';
import { LiveService } from './service.js';

/** What `e2e/agent/two_profiles.py` says. */
interface Said {
  readonly sessions: Readonly<Record<string, string>>;
  readonly hooks: Readonly<Record<string, number>>;
  readonly running: number;
  readonly connected: number;
  readonly reloaded: number;
  readonly left: readonly { readonly threads: string[]; readonly files: string[]; readonly locks: string[] }[];
}

const fault = await sandboxFault();
const [release] = RELEASES;
const PROFILES = ['default', 'garden', 'orchard'];

let shared: string;
let service: LiveService;

beforeAll(async () => {
  shared = mkdtempSync(join(tmpdir(), 'two-'));
  service = await LiveService.start(shared, '');
});
afterAll(async () => {
  await service?.stop();
  if (shared !== undefined) rmSync(shared, { recursive: true, force: true });
});

it.skipIf(fault !== undefined)(
  'profiles of one process: each with its own settings, none crossed, and nothing left of what is unloaded',
  async () => {
    if (release === undefined) throw new Error('no release');
    const agent = await Agent.install(release, process.env.E2E_PROGRAMS ?? '');
    await agent.run('two-profiles', shared);
    const said = JSON.parse(readFileSync(join(shared, 'two-profiles.json'), 'utf8')) as Said;

    expect(Object.keys(said.sessions).sort()).toEqual(PROFILES);
    for (const name of PROFILES) expect(said.hooks[name]).toBeGreaterThan(30);
    // Profiles that want the same share a thread and a connection.
    expect([said.running, said.connected, said.reloaded]).toEqual([2, 2, 2]);
    expect(said.left).toEqual(Array(2).fill({ threads: [], files: [], locks: [] }));

    // The last producers have said no more than hello.
    const producers = await waitFor('not all producers are known', async () => {
      const known = await service.producers();
      return known.length === 4 ? known : undefined;
    });
    expect(producers.map(({ missing }) => missing)).toEqual([0, 0, 0, 0]);
    await service.stop();
    const records = await journal();

    // One hello for a profile and load.
    const hellos = records.filter(({ hook }) => hook === 'observer_hello');
    expect(hellos.map(({ profile }) => profile).sort()).toEqual(PROFILES.flatMap((name) => [name, name]));
    for (const { profile, payload } of hellos) {
      const own = profile === 'garden' ? ['redacted', 'garden-desk'] : ['none', ''];
      expect([payload.profile, payload.capture, payload.surface]).toEqual([profile, ...own]);
    }
    const capture = new Map(hellos.map(({ producer, payload }) => [producer, payload.capture]));
    for (const name of PROFILES) {
      const own = records.filter(({ profile, hook }) => profile === name && hook !== 'observer_hello');
      const turn = own.filter(({ payload }) => payload.session_id === said.sessions[name]);
      expect(turn.filter(({ hook }) => hook === 'on_session_end')).toHaveLength(1);
      expect(turn.filter(({ hook }) => hook === 'post_tool_call')).toHaveLength(3);
      // Whatever names a session names one of its own profile.
      const sessions = own.map(({ payload }) => payload.session_id).filter(Boolean);
      expect(new Set(sessions)).toEqual(new Set([said.sessions[name]]));
      const wanted = name === 'garden' ? 'redacted' : 'none';
      expect(new Set(own.map(({ producer }) => capture.get(producer)))).toEqual(new Set([wanted]));
    }
  },
  120_000,
);

/** All records in the service's journal. */
async function journal(): Promise<HookRecord[]> {
  const records: HookRecord[] = [];
  for await (const batch of readSegments(join(shared, 'data/service/journal'))) {
    for (const { payload } of batch) records.push(JSON.parse(Buffer.from(payload).toString()) as HookRecord);
  }
  return records;
}
