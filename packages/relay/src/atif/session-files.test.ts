import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { SessionFiles } from './session-files.js';
import type { Step, Trajectory } from './trajectory.js';

const folder = mkdtempSync(join(tmpdir(), 'sessions-'));
afterAll(() => rmSync(folder, { recursive: true }));

function turn(id: string, second: number, text: string): Trajectory {
  const started_at = `2026-11-29T10:00:0${second}.000000Z`;
  const steps: Step[] = [
    { step_id: 1, timestamp: started_at, source: 'system', message: 'Be kind.', extra: { kind: 'system_prompt' } },
    { step_id: 2, timestamp: started_at, source: 'user', message: text },
  ];
  return {
    schema_version: 'ATIF-v1.7',
    session_id: 'a/session',
    trajectory_id: id,
    agent: { name: 'hermes', version: 'unknown' },
    steps,
    final_metrics: { total_steps: 2 },
    extra: { producer: 'hermes-observer', kind: 'turn', started_at },
  };
}

const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Trajectory;

it('a long session goes on in another file, after a restart too; the same prompt stands once a file', () => {
  const most = 3_000;
  for (let i = 0; i < 6; i++) new SessionFiles(folder, most).write(turn(`t-${i}`, i, String(i).repeat(1_000)));
  const names = readdirSync(folder).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  expect(names.length).toBeGreaterThan(1);
  expect(names[0]).toMatch(/^atif-a_session-[0-9a-f]{12}\.json$/);
  const documents = names.map(read);
  expect(documents.map((document) => document.continued_trajectory_ref)).toEqual([...names.slice(1), undefined]);
  expect(documents.flatMap(({ steps }) => steps.filter(({ source }) => source === 'user'))).toHaveLength(6);
  for (const { steps } of documents) expect(steps.filter(({ source }) => source === 'system')).toHaveLength(1);
  // A turn that comes again stays where it is.
  new SessionFiles(folder, most).write(turn('t-0', 0, 'changed'));
  expect(read(names[0] as string).steps.map(({ message }) => message)).toContain('changed');
  expect(read(names[0] as string).continued_trajectory_ref).toBe(names[1]);
  expect(readdirSync(folder)).toHaveLength(names.length);
});
