import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeAnthropic } from '../claude/fake-anthropic.js';
import { LOWEST, NEWEST, sdkAt } from '../claude/versions.js';
import { nodesToRunOn } from '../nodes.mjs';
import { SpanServer } from '../span-server.js';

const program = fileURLToPath(new URL('programs/claude-agent.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'auto-claude-'));
let server: SpanServer;

beforeAll(async () => {
  server = await SpanServer.start();
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

// The SDK's own Claude Code is some 400 MB.
describe.runIf(process.env.E2E_FULL === '1').each([NEWEST, LOWEST])('Claude Agent SDK %s', async (version) => {
  it.each(await nodesToRunOn())('is observed on Node.js %s', async (_, node) => {
    const { folder: sdk } = await sdkAt(version);
    const model = await fakeAnthropic(() => ({ blocks: [{ type: 'text', text: 'Sunny.' }] }));
    const options = {
      cwd: folder,
      settingSources: [],
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        CLAUDE_CONFIG_DIR: join(folder, '.claude'),
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'sk-ant-none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_TELEMETRY: '1',
        DISABLE_AUTOUPDATER: '1',
      },
    };
    const path = join(sdk, 'node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs');
    for (const form of ['import', 'require']) {
      const args = ['--import', '@hermes-observer/auto', program, path, JSON.stringify(options), form];
      const ran = await server.run(args, { node });
      expect({ ...ran, stderr: '' }).toEqual({ code: 0, stdout: 'Sunny.', stderr: '' });
      expect(ran.stderr).toContain(`observes @anthropic-ai/claude-agent-sdk ${version}`);
      expect(server.tree()).toEqual(['invoke_agent hermes: completed', expect.stringMatching(/^ {2}chat/)]);
    }
    await model.close();
  });
});
