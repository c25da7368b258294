import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ObserverError } from '@hermes-observer/core';
import { HOOK_EVENTS } from '../claude-hook/hook-event.js';
import { addPart, cutPart } from './json-edit.js';
import { type JsonPlace, memberOf, placesOf } from './json-places.js';
import { mergeLines } from './merge-lines.js';

/** What all commands of ours have in them, by which they are known again. */
const MARK = /hermes-observer\S* hook claude-code( |$)/;
/** Seconds Claude Code waits for the command; it takes a tenth of one. */
const TIMEOUT_SECONDS = 5;
/** Events whose command decides, where one does, and how long Claude Code waits for it: a person may be asked before a call. */
const GUARDED: Readonly<Record<string, object>> = {
  // Of a guard that crashes or is late Claude Code would let the call run, unless it is told otherwise (since 2.1.295).
  PreToolUse: { timeout: 600, onFailure: 'block' },
  PostToolUse: { timeout: 600 },
};
const isGuarded = (event: string) => Object.hasOwn(GUARDED, event);
const isGuard = (command: string) => command.split(' ').includes('--policy');

interface Entry {
  readonly hooks?: readonly { readonly command?: unknown }[];
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

/** One command of ours in the settings, and where it stands: an entry of an event, a command of that entry. */
interface Place {
  readonly event: string;
  readonly entry: number;
  readonly command: number;
  readonly text: string;
}

const isOurs = (command: unknown): command is string => typeof command === 'string' && MARK.test(command);

function placesOfOurs({ hooks = {} }: Settings): Place[] {
  return Object.entries(hooks).flatMap(([event, entries]) =>
    entries.flatMap((given, entry) => {
      const commands = Array.isArray(given?.hooks) ? (given.hooks as Entry['hooks']) : undefined;
      return (commands ?? []).flatMap((one, command) =>
        isOurs(one?.command) ? [{ event, entry, command, text: one.command }] : [],
      );
    }),
  );
}

/**
 * Settings with one hook of ours for each event: an older one gets the command. All else stays to the byte.
 * @param guard command for calls and their results, where policy decides. @default `command`
 */
export function withHooks(text: string | undefined, command: string, guard = command): string {
  const settings = parsed(text);
  const commandOf = (event: string) => (isGuarded(event) ? guard : command);
  if (text === undefined || text.trim() === '') {
    const hooks = Object.fromEntries(HOOK_EVENTS.map((event) => [event, [entryOf(event, commandOf(event))]]));
    return `${JSON.stringify({ hooks }, undefined, 2)}\n`;
  }
  const places = placesOfOurs(settings);
  const isKept = ({ event }: Place, i: number) =>
    HOOK_EVENTS.includes(event) && places.findIndex((place) => place.event === event) === i;
  let result = text;
  places.forEach((place, i) => {
    const wanted = commandOf(place.event);
    if (isKept(place, i) && place.text !== wanted) result = withCommand(result, place, wanted);
  });
  for (const place of places.filter((one, i) => !isKept(one, i)).toReversed()) result = without(result, place, {});
  for (const event of HOOK_EVENTS.filter((name) => !places.some((place) => place.event === name))) {
    result = withEntry(result, event, entryOf(event, commandOf(event)));
  }
  return result;
}

const entryOf = (event: string, command: string) => ({ hooks: [hookOf(event, command)] });

function hookOf(event: string, command: string): object {
  return { type: 'command', command, ...(isGuard(command) ? GUARDED[event] : { timeout: TIMEOUT_SECONDS }) };
}

function withEntry(text: string, event: string, entry: unknown): string {
  const settings = placesOf(text);
  const hooks = memberOf(settings, 'hooks');
  if (hooks === undefined) return addPart(text, settings, { [event]: [entry] }, 'hooks');
  const entries = memberOf(hooks, event);
  return entries === undefined ? addPart(text, hooks, [entry], event) : addPart(text, entries, entry);
}

function withCommand(text: string, { event, entry, command, text: before }: Place, line: string): string {
  const hook = commandsAt(text, event, entry).parts[command]?.value as JsonPlace;
  if (isGuard(before) !== isGuard(line))
    return text.slice(0, hook.start) + JSON.stringify(hookOf(event, line)) + text.slice(hook.end);
  const place = memberOf(hook, 'command') as JsonPlace;
  return text.slice(0, place.start) + JSON.stringify(line) + text.slice(place.end);
}

const eventsAt = (text: string) => memberOf(placesOf(text), 'hooks') as JsonPlace;

function commandsAt(text: string, event: string, entry: number): JsonPlace {
  const entries = memberOf(eventsAt(text), event) as JsonPlace;
  return memberOf(entries.parts[entry]?.value as JsonPlace, 'hooks') as JsonPlace;
}

/**
 * Settings without ours, and without lists that are there for them alone: none that `before` has, the text as it was
 * before they were put in (`undefined`: there was none). What was changed since stays to the byte.
 * @throws ObserverError `HO_INSTALL`.
 */
export function withoutHooks(text: string, before?: string): string {
  const places = placesOfOurs(parsed(text));
  const [ours] = places;
  if (ours === undefined) return text;
  const past = parsed(before);
  const ofEvent = (isOf: (event: string) => boolean) => places.find(({ event }) => isOf(event))?.text ?? ours.text;
  const installed = withHooks(
    before,
    ofEvent((event) => !isGuarded(event)),
    ofEvent(isGuarded),
  );
  if (installed === text) return before ?? '';
  const cut = places.toReversed().reduce((left, place) => without(left, place, past), text);
  const merged = mergeLines(installed, text, before ?? '');
  return merged !== undefined && isSameJson(merged, cut) ? merged : cut;
}

/** Cuts one command out, and what is empty then and was not there in `past`. */
function without(text: string, { event, entry, command }: Place, past: Settings): string {
  const commands = commandsAt(text, event, entry);
  if (commands.parts.length > 1) return cutPart(text, commands, command);
  const entries = memberOf(eventsAt(text), event) as JsonPlace;
  const hasEvent = past.hooks !== undefined && Object.hasOwn(past.hooks, event);
  if (entries.parts.length > 1 || hasEvent) return cutPart(text, entries, entry);
  const events = eventsAt(text);
  if (events.parts.length > 1 || past.hooks !== undefined) return cutPart(text, events, indexOf(events, event));
  const settings = placesOf(text);
  return cutPart(text, settings, indexOf(settings, 'hooks'));
}

const indexOf = ({ parts }: JsonPlace, key: string) => parts.findLastIndex((part) => part.key === key);

function isSameJson(one: string, other: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
  } catch {
    return false;
  }
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
