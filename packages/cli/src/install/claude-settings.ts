import { homedir } from 'node:os';
import { join } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import { HOOK_EVENTS } from '../claude-hook/hook-event.js';

/** What all commands of ours end with or have in them, by which they are known again. */
const MARK = ' hook claude-code';
/** Seconds Claude Code waits for the command; it takes a tenth of one. */
const TIMEOUT_SECONDS = 5;

interface Entry {
  readonly matcher?: unknown;
  readonly hooks?: readonly { readonly type?: unknown; readonly command?: unknown }[];
}

type Settings = { hooks?: Record<string, Entry[]> } & Record<string, unknown>;

/** `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function claudeSettingsFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), 'settings.json');
}

/** A command line for a shell. */
export function hookCommand(script: string, options: readonly string[] = []): string {
  return [quoted(process.execPath), quoted(script), 'hook', 'claude-code', ...options.map(quoted)].join(' ');
}

const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** Settings with a hook of ours for each event, and no older one. All else stays, the indentation too. */
export function withHooks(text: string | undefined, command: string): string {
  const settings = parsed(text);
  const hooks = removed(settings.hooks ?? {});
  for (const event of HOOK_EVENTS) {
    hooks[event] = [
      ...(hooks[event] ?? []),
      { hooks: [{ type: 'command', command, timeout: TIMEOUT_SECONDS } as never] },
    ];
  }
  return written({ ...settings, hooks }, text);
}

/** Settings without ours. */
export function withoutHooks(text: string): string {
  const { hooks, ...settings } = parsed(text);
  if (hooks === undefined || JSON.stringify(removed(hooks)) === JSON.stringify(hooks)) return text;
  const left = removed(hooks);
  return written(Object.keys(left).length === 0 ? settings : { ...settings, hooks: left }, text);
}

function removed(hooks: Record<string, Entry[]>): Record<string, Entry[]> {
  const isOurs = ({ hooks: commands }: Entry) =>
    commands?.length === 1 && typeof commands[0]?.command === 'string' && commands[0].command.includes(MARK);
  const kept = Object.entries(hooks).map(
    ([event, entries]) => [event, entries.filter((entry) => !isOurs(entry))] as const,
  );
  return Object.fromEntries(kept.filter(([, entries]) => entries.length > 0));
}

/** @throws ObserverError `HO_INSTALL` for settings that are no JSON object, or whose hooks are not what they should be. */
function parsed(text: string | undefined): Settings {
  let value: unknown;
  try {
    value = text === undefined || text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    throw new ObserverError('HO_INSTALL', 'the settings of Claude Code are no JSON: mend them first');
  }
  const hooks = (value as Settings | null)?.hooks;
  const isGood = (given: unknown) => typeof given === 'object' && given !== null && !Array.isArray(given);
  if (isGood(value) && (hooks === undefined || (isGood(hooks) && Object.values(hooks).every(Array.isArray)))) {
    return value as Settings;
  }
  throw new ObserverError('HO_INSTALL', 'the settings of Claude Code have an unknown shape: nothing was changed');
}

function written(settings: Settings, text: string | undefined): string {
  const indent = /^\{\s*?\n([ \t]+)/.exec(text ?? '')?.[1] ?? 2;
  return `${JSON.stringify(settings, undefined, indent)}${text === undefined || text.endsWith('\n') ? '\n' : ''}`;
}
