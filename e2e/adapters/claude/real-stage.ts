import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordedQuery } from '../../../packages/claude/src/recorder.test-support.js';
import type { Line } from '../../../packages/claude/src/replay.test-support.js';
import type { Sdk, Stage } from '../../../packages/claude/src/stage.test-support.js';
import { fakeAnthropic } from './fake-anthropic.js';

/** Sessions of a stage are kept in one folder, so that one play goes on with another's. */
export interface RealStage extends Stage {
  close(): void;
}

/**
 * The SDK with its own Claude Code, and a model on this machine: nothing goes out. With `recordings`, what happens in each play is
 * written to a file there, without what is of this machine.
 */
export function realStage(sdk: Sdk, recordings?: URL): RealStage {
  const folder = mkdtempSync(join(tmpdir(), 'claude-'));
  const project = join(folder, 'project');
  mkdirSync(project);
  return {
    close: () => rmSync(folder, { recursive: true, force: true }),
    open: async (play, script) => {
      const model = await fakeAnthropic(script);
      const lines: Line[] = [];
      const query = recordings === undefined ? sdk.query : recordedQuery(sdk.query, (line) => lines.push(line));
      return {
        sdk: { ...sdk, query },
        options: {
          cwd: project,
          settingSources: [],
          env: {
            PATH: process.env.PATH,
            HOME: folder,
            CLAUDE_CONFIG_DIR: join(folder, '.claude'),
            ANTHROPIC_BASE_URL: model.url,
            ANTHROPIC_API_KEY: 'sk-ant-none',
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
            CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
            CLAUDE_CODE_MAX_RETRIES: play === 'stream-dies' ? '0' : '2',
            DISABLE_TELEMETRY: '1',
            DISABLE_AUTOUPDATER: '1',
          },
        },
        close: async () => {
          await model.close();
          if (recordings === undefined) return;
          mkdirSync(recordings, { recursive: true });
          const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
          writeFileSync(new URL(`${play}.ndjson`, recordings), neutral(text, folder));
        },
      };
    },
  };
}

/** Paths of this machine are those of anybody's. */
function neutral(text: string, folder: string): string {
  const slug = folder.replaceAll(/[^a-zA-Z0-9]/g, '-');
  return text
    .replaceAll(folder, '/home/user')
    .replaceAll(slug, '-home-user')
    .replaceAll(/\/tmp\/claude-\d+/g, '/tmp/claude');
}
