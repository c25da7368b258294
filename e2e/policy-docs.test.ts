import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openDry, PolicyPlan } from '@hermes-observer/policy/config';
import { afterAll, expect, it } from 'vitest';
import { runCommand, runNode, TOP } from './run-command.js';

const page = readFileSync(join(TOP, 'docs/policy.md'), 'utf8');
const BIN = join(TOP, 'packages/cli/bin/hermes-observer.js');

interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

const blocks: Block[] = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ({ 1: language = '', 2: text = '', index }) => ({
    language,
    text,
    line: page.slice(0, index).split('\n').length,
  }),
);

/** Variables that the page's secrets name. */
const env = {
  SLACK_BOT_TOKEN: 'xoxb-1-2-3',
  SLACK_SIGNING_SECRET: 'a'.repeat(32),
  POLICY_DATABASE: 'postgres://localhost/none',
  AUDIT_KEY: 'k'.repeat(32),
};

// Below the top, so that the packages are found as an installed project finds them.
mkdirSync(join(TOP, '.cache'), { recursive: true });
const folder = mkdtempSync(join(TOP, '.cache/policy-docs-'));
chmodSync(folder, 0o700);
afterAll(() => rmSync(folder, { recursive: true }));

/** The page up to a block, as somebody has it who follows it: the last policy, and every other file. */
function follow(until: Block): void {
  for (const { language, text, line } of blocks) {
    if (language === 'yaml' && line <= until.line) writeFileSync(join(folder, 'policy.yaml'), text, { mode: 0o600 });
    const [, name] = /^(?:#|\/\/) ([\w-]+\.(?:py|mjs))\n/.exec(text) ?? [];
    if (name !== undefined) writeFileSync(join(folder, name), text);
  }
}

const yamls = blocks.filter(({ language }) => language === 'yaml');

it('the page has what is tested here', () => {
  expect(yamls.length).toBe(7);
  expect(blocks.filter(({ language }) => language === 'console').length).toBe(7);
});

it.each(yamls.map((block) => [block.line, block] as const))('the policy of line %i opens', async (_, block) => {
  follow(block);
  const plan = new PolicyPlan(join(folder, 'policy.yaml'), { env, state: join(folder, 'state') });
  expect(plan.warnings).toEqual([]);
  const dry = await openDry(plan, { hasScripts: true });
  expect(dry.hooks.length).toBeGreaterThan(0);
  await dry.close();
});

const consoles = blocks.filter(({ language }) => language === 'console');

it.each(consoles.map((block) => [block.line, block] as const))(
  'the command of line %i prints what the page says',
  async (_, block) => {
    follow(block);
    const [command = '', ...output] = block.text.split('\n');
    const script = command.replace(/^\$ hermes-observer/, `"${process.execPath}" "${BIN}"`);
    const { code, stdout, stderr } = await runCommand('sh', ['-c', script], {
      cwd: folder,
      env: { ...env, HOME: folder },
    });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: output.join('\n'), stderr: '' });
  },
);

it('the service starts with the first policy of the page', async () => {
  const [first] = yamls;
  if (first !== undefined) follow(first);
  const free = createServer().listen(0);
  await new Promise((resolve) => free.once('listening', resolve));
  free.close();
  const serve = `"${process.execPath}" "${BIN}" serve --policy policy.yaml --data data --socket s --port 0 & pid=$!; for i in $(seq 100); do test -S s && break; sleep 0.1; done; "${process.execPath}" "${BIN}" policy pending --socket s; kill $pid; wait $pid`;
  const { code, stdout } = await runCommand('sh', ['-c', serve], { cwd: folder, env: { HOME: folder } });
  expect(code).toBe(0);
  expect(stdout).toContain('2 hooks; asks through command');
  expect(stdout).toContain('nothing waits for an answer');
});

it('the program of the page runs with its policy', async () => {
  writeFileSync(join(folder, 'policy.yaml'), 'hooks:\n  PreToolUse:\n    - use: ReadOnlyGuard\n      match: rm_*\n', {
    mode: 0o600,
  });
  const program = blocks.find(({ text }) => text.startsWith('// agent.mjs'));
  writeFileSync(join(folder, 'agent.mjs'), program?.text ?? '');
  const { code, stdout, stderr } = await runNode([join(folder, 'agent.mjs')], { cwd: folder });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'writing notes.md\n', stderr: '' });
});

it('the hook of the page that is a function denies what it says', async () => {
  const program = blocks.find(({ text }) => text.startsWith('// hooks.mjs'));
  writeFileSync(join(folder, 'hooks.mjs'), program?.text ?? '');
  const { code, stdout, stderr } = await runNode([join(folder, 'hooks.mjs')], { cwd: folder });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'No deployments on Fridays.\n', stderr: '' });
});
