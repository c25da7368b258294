import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { call, say, use } from '../../../packages/claude/src/plays.test-support.js';
import type { ModelScript } from '../../../packages/claude/src/stage.test-support.js';
import { fakeAnthropic } from './fake-anthropic.js';

const bash = (id: string, command: string) => call(id, { command, description: 'a command' }, 'Bash');
const dig = (id: string, more: object) =>
  call(id, { description: 'digs', prompt: 'dig', subagent_type: 'Explore', ...more }, 'Agent');
const steps =
  (...first: ReturnType<typeof use>[]): ModelScript =>
  (_, asked) =>
    first[(asked.match(/"type":"tool_result"/g) ?? []).length] ?? say('Done.');
const isSubagent = (asked: string) => !asked.includes('Look around');

/** A session: what is typed, and what the model answers. */
export interface Session {
  readonly script: ModelScript;
  readonly prompt?: string;
  /** Prompts of processes that go on with it. */
  readonly later?: readonly string[];
  /** Ended by a signal, once a tool runs. */
  readonly isInterrupted?: boolean;
}

export const SESSIONS: Readonly<Record<string, Session>> = {
  plain: { script: () => say('Done.') },
  tools: { script: steps(use(bash('call_1', 'echo one')), use(call('call_2', { file_path: 'note.txt' }, 'Read'))) },
  'parallel-tools': {
    script: (_, asked) =>
      asked.includes('tool_result')
        ? say('Done.')
        : use(
            call('call_1', { file_path: 'note.txt' }, 'Read'),
            call('call_2', { pattern: '*.txt' }, 'Glob'),
            bash('call_3', 'echo one'),
          ),
  },
  'tool-fails': { script: steps(use(bash('call_1', 'exit 3'))) },
  'tool-is-denied': { script: steps(use(bash('call_1', 'touch denied'))) },
  subagent: {
    script: (_, asked) => {
      if (isSubagent(asked)) return asked.includes('tool_result') ? say('Found.') : use(bash('call_2', 'echo two'));
      return asked.includes('tool_result') ? say('Done.') : use(dig('call_1', { run_in_background: false }));
    },
  },
  'subagent-in-background': {
    script: (_, asked) => {
      if (isSubagent(asked)) return asked.includes('tool_result') ? say('Found.') : use(bash('call_2', 'echo two'));
      return asked.includes('tool_result') ? say('Done.') : use(dig('call_1', { run_in_background: true }));
    },
  },
  resume: { script: () => say('Done.'), later: ['And again.'] },
  compact: { script: () => say('Done.'), later: ['/compact', 'And again.'] },
  interrupt: { script: steps(use(bash('call_1', 'sleep 20'))), isInterrupted: true },
  'model-fails': { script: () => ({ status: 400 }) },
};

/** Settings in which each event is a command, given its name. */
export function hookSettings(events: readonly string[], command: string): string {
  return JSON.stringify({
    hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [{ type: 'command', command }] }]])),
  });
}

/** Claude Code as a person starts it, with a model on this machine and a home of its own. */
export class ClaudeCode {
  readonly home = mkdtempSync(join(tmpdir(), 'claude-code-'));
  readonly project = join(this.home, 'project');
  readonly #program: string;

  /** @param sdkFolder where the SDK is installed, which has it */
  constructor(sdkFolder: string, settings: string) {
    const platform = `${process.platform}-${process.arch}`;
    this.#program = join(sdkFolder, `node_modules/@anthropic-ai/claude-agent-sdk-${platform}/claude`);
    mkdirSync(this.project);
    mkdirSync(join(this.home, '.claude'));
    writeFileSync(join(this.project, 'note.txt'), 'a note\n');
    writeFileSync(join(this.home, '.claude/settings.json'), settings);
  }

  close(): void {
    rmSync(this.home, { recursive: true, force: true });
  }

  /** @param env more variables @param whenToolRuns told that a tool runs */
  async run(
    { script, prompt = 'Look around.', later = [], isInterrupted = false }: Session,
    env: NodeJS.ProcessEnv = {},
  ): Promise<string> {
    const model = await fakeAnthropic(script);
    const all = { PATH: process.env.PATH, HOME: this.home, CLAUDE_CONFIG_DIR: join(this.home, '.claude'), ...env };
    const own = {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '0',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
    };
    let told = '';
    try {
      let session: string | undefined;
      for (const typed of [prompt, ...later]) {
        const args = ['-p', typed, '--model', 'test-model', '--output-format', 'json'];
        args.push('--allowedTools', 'Bash(echo *)', 'Bash(exit *)', 'Bash(sleep *)', 'Read', 'Glob', 'Agent');
        if (session !== undefined) args.push('--resume', session);
        const child = spawn(this.#program, args, {
          cwd: this.project,
          env: { ...all, ...own },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        if (isInterrupted) setTimeout(() => child.kill('SIGINT'), 4_000);
        const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), ended(child)]);
        told += out + error;
        session = /"session_id":"([^"]+)"/.exec(out)?.[1];
      }
    } finally {
      await model.close();
    }
    return told;
  }

  /** Without what is of this machine. */
  neutral(recorded: string): string {
    return recorded
      .replaceAll(this.home, '/home/user')
      .replaceAll(this.home.replaceAll(/[^a-zA-Z0-9]/g, '-'), '-home-user')
      .replaceAll(/\/tmp\/claude-\d+/g, '/tmp/claude');
  }
}

const ended = async (child: ChildProcess) => void (await once(child, 'close'));

export const linesOf = (file: URL | string): string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean);
