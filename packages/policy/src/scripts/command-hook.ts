import { resolve } from 'node:path';
import { checkFields, configError, kindOf } from '../hooks/config-error.js';
import type { ApprovalTerms, HookContext, PolicyHook } from '../hooks/hook.js';
import { changed } from './pin-file.js';
import { readScriptAnswer } from './read-script-answer.js';
import { runProcess } from './run-process.js';
import { commandDigest, type PinnedCommand } from './script-digest.js';
import { type ScriptFormat, scriptPayload } from './script-payload.js';
import { type ScriptSettings, SETTINGS } from './script-settings.js';

export interface CommandHookOptions extends ScriptSettings {
  /** Program and arguments; or, with `shell`, one line. Nothing of a call is ever put into it. */
  readonly command: readonly string[] | string;
  /** `/bin/sh` runs the line. @default false */
  readonly shell?: boolean | undefined;
  /** Names of variables of this process that it gets, beside those it always gets. */
  readonly passEnv?: readonly string[] | undefined;
  /** Variables with fixed values. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** @default the working folder of this process */
  readonly cwd?: string | undefined;
  /** Names of events and fields as of Claude Code's or of Hermes Agent's scripts. @default 'claude' */
  readonly format?: ScriptFormat | undefined;
  /** Bytes of each of its two outputs. @default 1 MiB */
  readonly maxOutputBytes?: number | undefined;
  /** Of what a person is asked, if it says so. */
  readonly terms?: ApprovalTerms | undefined;
}

const OPTIONS = ['command', 'shell', 'passEnv', 'env', 'cwd', 'format', 'maxOutputBytes', 'terms', 'pins', 'sha256'];
/** Nothing secret is in these. */
const ALWAYS = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'];
const DEFAULT_TIMEOUT_MS = 30_000;
/** It is killed a little later than the policy stops waiting, which then says that it was late. */
const GRACE_MS = 50;

/**
 * A hook that is a program. It reads the call as JSON on its standard input and answers by its exit code (0: no objection; 2:
 * blocked, with what it wrote to its standard error) or by JSON, as scripts for Claude Code and for Hermes Agent do. Whatever
 * else it does is an error, which blocks.
 * @throws ObserverError `HO_POLICY_CONFIG`: a wrong option, a command that is not there or not the accepted one.
 */
export async function commandHook(options: CommandHookOptions): Promise<PolicyHook> {
  const where = `Hook \`${String(options.name)}\``;
  checkFields(options, [...SETTINGS, ...OPTIONS], where);
  const { shell = false, format = 'claude', maxOutputBytes = 1024 * 1024, terms = {}, name } = options;
  if (format !== 'claude' && format !== 'hermes')
    throw configError(`\`format\` of ${where} is claude or hermes, not ${kindOf(format)}.`);
  if (typeof shell !== 'boolean') throw configError(`\`shell\` of ${where} must be true or false.`);
  const cwd = resolve(options.cwd ?? '.');
  const env = environment(options, cwd, where);
  const words = wordsOf(options.command, shell, where);
  const argv: [string, ...string[]] = shell ? ['/bin/sh', '-c', words[0]] : words;
  const pinned: PinnedCommand = { argv: words, shell, cwd, env };
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;

  const checkPin = async (first: boolean) => {
    if (options.pins === undefined && options.sha256 === undefined) return;
    const digest = await commandDigest(pinned);
    if (options.sha256 !== undefined && options.sha256.toLowerCase() !== digest) {
      throw changed(name, `set \`sha256\` of it to ${digest}`);
    }
    await options.pins?.check(name, digest, first);
  };
  await checkPin(true);

  const execute = async (context: HookContext) => {
    await checkPin(false);
    const input = scriptPayload(context, format, cwd);
    const { signal } = context;
    const end = await runProcess({
      argv,
      cwd,
      env,
      input,
      timeoutMs: timeoutMs + GRACE_MS,
      maxBytes: maxOutputBytes,
      signal,
    });
    // One that was put in its place meanwhile has not answered either.
    await checkPin(false);
    return readScriptAnswer(end, context, terms);
  };
  const { pins: _pins, sha256: _sha256, ...rest } = options;
  return { ...settingsOf(rest), timeoutMs, execute };
}

/** Those fields that stand for themselves. */
export function settingsOf(options: ScriptSettings): Omit<PolicyHook, 'execute'> {
  const settings: Record<string, unknown> = {};
  for (const key of SETTINGS) if (options[key] !== undefined) settings[key] = options[key];
  return settings as unknown as Omit<PolicyHook, 'execute'>;
}

function wordsOf(command: unknown, shell: boolean, where: string): [string, ...string[]] {
  if (shell) {
    if (typeof command === 'string' && command.trim() !== '') return [command];
    throw configError(`\`command\` of ${where} must be one line, since \`shell\` is set.`);
  }
  const isArgv = Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string');
  if (isArgv && command[0] !== '' && !command.some((word: string) => word.includes('\0'))) {
    return command as [string, ...string[]];
  }
  throw configError(
    `\`command\` of ${where} must be a list of words, such as ["python3", "check.py"], or a line with \`shell: true\`.`,
  );
}

function environment(
  { passEnv = [], env = {} }: CommandHookOptions,
  cwd: string,
  where: string,
): Record<string, string> {
  const names = [...ALWAYS, ...passEnv];
  for (const name of [...names, ...Object.keys(env)]) {
    if (typeof name !== 'string' || !/^[A-Za-z_]\w*$/.test(name))
      throw configError(`${where}: ${kindOf(name)} is no name of a variable.`);
  }
  const result: Record<string, string> = { CLAUDE_PROJECT_DIR: cwd };
  for (const name of names) {
    const value = process.env[name];
    if (value !== undefined) result[name] = value;
  }
  for (const [name, value] of Object.entries(env)) {
    if (typeof value !== 'string') throw configError(`${where}: the variable ${name} must be a text.`);
    result[name] = value;
  }
  return result;
}
