import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../jaeger/wait-for.js';
import { Agent, sandboxFault } from '../../live/agent.js';
import { RELEASES } from '../../live/scenarios.js';
import { Serve } from '../serve.js';

const POLICY = `
channels: { command: }
hooks:
  PreToolUse:
    - use: ApprovalGate
      match: terminal
      with: { title: A command }
`;
const fault = await sandboxFault();

let serve: Serve;
afterEach(() => serve?.end());

describe.skipIf(fault !== undefined)('serve with a policy, and a real agent', () => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await Agent.install(RELEASES[0] as (typeof RELEASES)[number], process.env.E2E_PROGRAMS ?? '');
  }, 600_000);
  const run = (name: string) =>
    agent.runScript('policy_run.py', serve.shared, [name, '[[touch-twice]] Make two files.']);
  const results = (name: string): string[] => {
    const lines = readFileSync(join(serve.shared, 'logs', `${name}.mock.log`), 'utf8')
      .trim()
      .split('\n');
    const all = lines.map((line) => (JSON.parse(line) as { results?: Record<string, string> }).results ?? {});
    return Object.values(Object.assign({}, ...all) as Record<string, string>);
  };
  const files = (name: string) => readFileSync(join(serve.shared, `${name}.files`), 'utf8').split('\n');

  it('is approved by a command; a service that is killed while the agent waits is asked again, and finds the request', async () => {
    serve = new Serve(POLICY);
    serve.start();
    const running = run('approved');
    await serve.approve(await serve.waiting());
    const second = await waitFor('no second request', async () => serve.waiting(), 60_000);
    await serve.kill();
    serve.start();
    const again = await serve.waiting();
    expect(again).toMatchObject({ id: second.id, digest: second.digest });
    await serve.approve(again);
    await running;
    expect(results('approved').map((one) => (JSON.parse(one) as { output: string }).output)).toEqual(['one', 'two']);
    expect(files('approved')).toEqual(expect.arrayContaining(['first-file', 'second-file']));
    const approvals = await waitFor('no spans', async () => {
      const found = serve.spans().filter(({ name }) => name.startsWith('approval'));
      return found.length >= 2 ? found : undefined;
    });
    const tools = serve.spans().filter(({ name }) => name === 'execute_tool terminal');
    expect(tools).toHaveLength(2);
    expect(approvals[0]?.parentSpanId).toBe(tools[0]?.spanId);
  }, 240_000);

  it('stays away after it was killed: the call is blocked, and the trace says so when it is back', async () => {
    serve = new Serve(POLICY);
    serve.start();
    const running = run('killed');
    await serve.waiting();
    await serve.kill();
    await running;
    const read = results('killed');
    expect(read).toHaveLength(2);
    for (const one of read) expect(one).toContain('policy could not be asked');
    expect(files('killed')).not.toContain('first-file');
    serve.start();
    const tools = await waitFor('no spans', async () => {
      const found = serve.spans().filter(({ name }) => name === 'execute_tool terminal');
      return found.length === 2 ? found : undefined;
    });
    for (const { events } of tools) expect(JSON.stringify(events)).toContain('hermes-observer-forwarder');
  }, 240_000);
});
