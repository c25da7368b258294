import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type * as z from 'zod';
import type { HookEvent } from '../hooks/hook.js';
import { nearest, proposal } from '../hooks/nearest.js';
import { checked } from './check.js';
import { type ChannelKind, channelOptions, fileSchema } from './file-schema.js';
import { type Builtin, builtinOptions, EVENTS, HOOK_KINDS, type HookKind } from './hook-schema.js';
import { isReadableByOthers, type Place, PolicyDocument } from './policy-document.js';
import { Secrets } from './values.js';

type OptionsOf = { readonly [K in Builtin]: z.output<ReturnType<typeof builtinOptions>[K]> };
type ChannelOptionsOf = { readonly [K in ChannelKind]: z.output<ReturnType<typeof channelOptions>[K]> };

/** One hook of the file, checked but for what only its maker knows. */
export type HookPlan = { readonly event: HookEvent; readonly name: string; readonly place: Place } & (
  | { readonly kind: 'use'; readonly entry: z.output<typeof HOOK_KINDS.use>; readonly builtin: BuiltinPlan }
  | { readonly kind: 'command'; readonly entry: z.output<typeof HOOK_KINDS.command> }
  | { readonly kind: 'module'; readonly entry: z.output<typeof HOOK_KINDS.module> }
);

export type BuiltinPlan = { [K in Builtin]: { readonly use: K; readonly options: OptionsOf[K] } }[Builtin];

export type ChannelPlan = { readonly name: string; readonly place: Place } & {
  [K in ChannelKind]: { readonly kind: K; readonly options: ChannelOptionsOf[K] };
}[ChannelKind];

export interface AuditPlan {
  readonly name: string;
  readonly folder: string;
  readonly head: string | undefined;
  readonly key: string | undefined;
}

export interface PlanOptions {
  /** Where secrets are looked up. @default process.env */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Folder of what has to survive a restart, where the file names none. @default `<file>.state` beside the file */
  readonly state?: string | undefined;
}

/** What a file says, checked and with absolute paths. Nothing is opened or made. */
export class PolicyPlan {
  readonly document: PolicyDocument;
  readonly values: z.output<ReturnType<typeof fileSchema>>;
  readonly hooks: readonly HookPlan[];
  readonly channels: readonly ChannelPlan[];
  readonly state: string;
  readonly warnings: readonly string[];

  /** @throws ObserverError `HO_POLICY_CONFIG`: file, line, column, and the nearest known name. */
  constructor(path: string, { env = process.env, state }: PlanOptions = {}) {
    this.document = new PolicyDocument(path);
    const { document } = this;
    const secrets = new Secrets(env);
    this.values = checked(document, [], document.value ?? {}, fileSchema(secrets));
    const stateFolder = this.values.state;
    this.state = stateFolder === undefined ? (state ?? `${document.file}.state`) : this.path(stateFolder);
    this.channels = this.#readChannels(secrets);
    this.hooks = EVENTS.flatMap((event) =>
      (this.values.hooks[event] ?? []).map((value, i) => this.#readHook(event, value, ['hooks', event, i], secrets)),
    );
    this.#checkNames();
    this.#checkAsking();
    const isOpen = secrets.isWritten && isReadableByOthers(document.file);
    const warning = `${document.file} has secrets in it and can be read by others: chmod go-r ${document.file}, or use \${NAME}`;
    this.warnings = [...document.warnings, ...(isOpen ? [warning] : [])];
  }

  get name(): string {
    return this.values.name ?? this.document.stem;
  }

  /** A path as the file gives it: from the file's folder, or from home. */
  path(given: string): string {
    if (given === '~' || given.startsWith('~/')) return join(homedir(), given.slice(1));
    return resolve(this.document.folder, given);
  }

  /** Where a hook keeps what it knows, if it is not told otherwise. */
  stateOf(kind: string, name: string): string {
    return join(this.state, kind, encodeURIComponent(name));
  }

  /** Where the audit logs are that the file names. */
  get audits(): readonly AuditPlan[] {
    return this.hooks.flatMap((hook): AuditPlan[] => {
      if (hook.kind !== 'use' || hook.builtin.use !== 'AuditLog') return [];
      const { folder, head, key } = hook.builtin.options;
      const place = folder === undefined ? this.stateOf('audit', hook.name) : this.path(folder);
      return [{ name: hook.name, folder: place, head: head === undefined ? undefined : this.path(head), key }];
    });
  }

  #readChannels(secrets: Secrets): ChannelPlan[] {
    const schemas = channelOptions(secrets);
    const kinds = Object.keys(schemas) as ChannelKind[];
    return Object.entries(this.values.channels ?? {}).map(([name, given]) => {
      const place = ['channels', name];
      const value = given ?? {};
      const kind = (value as { kind?: unknown }).kind ?? name;
      if (!kinds.includes(kind as ChannelKind)) {
        const wrong = typeof kind === 'string' ? kind : '';
        const hint = proposal(wrong, kinds);
        const isKey = kind === name;
        throw this.document.fault(
          isKey ? place : [...place, 'kind'],
          `there is no kind of channel \`${wrong}\`.${hint}`,
          isKey,
        );
      }
      const options: unknown = checked(this.document, place, value, schemas[kind as ChannelKind]);
      return { name, place, kind, options } as unknown as ChannelPlan;
    });
  }

  #readHook(event: HookEvent, value: unknown, place: Place, secrets: Secrets): HookPlan {
    const { document } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw document.fault(place, 'A hook must be a map.');
    const kinds = Object.keys(HOOK_KINDS) as HookKind[];
    const [kind, ...more] = kinds.filter((one) => Object.hasOwn(value, one));
    if (kind === undefined) {
      const [first = ''] = Object.keys(value);
      const near = nearest(first, kinds);
      const hint = near === undefined ? '' : ` Did you mean \`${near}\`?`;
      throw document.fault(place, `A hook needs one of: ${kinds.join(', ')}.${hint}`);
    }
    if (more.length > 0) throw document.fault(place, `A hook is either \`${kind}\` or \`${more.join('` or `')}\`.`);
    if (kind === 'use') {
      this.#checkWith(value, place);
      const entry = checked(document, place, value, HOOK_KINDS.use);
      const builtin = this.#readBuiltin(entry, place, secrets);
      return { event, name: entry.name ?? builtin.use, place, kind, entry, builtin };
    }
    if (kind === 'command') {
      const entry = checked(document, place, value, HOOK_KINDS.command);
      return { event, name: entry.name ?? scriptName(entry.command), place, kind, entry };
    }
    const entry = checked(document, place, value, HOOK_KINDS.module);
    return { event, name: entry.name ?? basename(entry.module), place, kind, entry };
  }

  /** Options of a hook that is built in belong below `with`. */
  #checkWith(value: object, place: Place): void {
    const { use } = value as { use?: unknown };
    const schemas = builtinOptions(new Secrets({}));
    if (typeof use !== 'string' || !Object.hasOwn(schemas, use)) return;
    const options = Object.keys(schemas[use as Builtin].shape);
    const stray = Object.keys(value).find((key) => options.includes(key) && !Object.hasOwn(HOOK_KINDS.use.shape, key));
    if (stray === undefined) return;
    const text = `\`${stray}\` is an option of ${use}: put it under \`with\`.`;
    throw this.document.fault([...place, stray], text, true);
  }

  #readBuiltin(entry: z.output<typeof HOOK_KINDS.use>, place: Place, secrets: Secrets): BuiltinPlan {
    const schemas = builtinOptions(secrets);
    const { use } = entry;
    if (!Object.hasOwn(schemas, use)) {
      const hint = proposal(use, Object.keys(schemas));
      throw this.document.fault([...place, 'use'], `No hook \`${use.slice(0, 64)}\` is built in.${hint}`);
    }
    const options: unknown = checked(this.document, [...place, 'with'], entry.with ?? {}, schemas[use as Builtin]);
    return { use, options } as BuiltinPlan;
  }

  /** Scripts are accepted by their names, so these differ over all events. */
  #checkNames(): void {
    const seen = new Set<string>();
    for (const { event, name, kind, place } of this.hooks) {
      const key = kind === 'use' ? `${event} ${name}` : name;
      const text =
        kind === 'use' ? `Two hooks for ${event} are named \`${name}\`` : `Two scripts are named \`${name}\``;
      if (seen.has(key)) throw this.document.fault(place, `${text}: give one of them another \`name\`.`);
      seen.add(key);
    }
  }

  /** Whom a hook asks has to be there. */
  #checkAsking(): void {
    const names = this.channels.map(({ name }) => name);
    for (const hook of this.hooks) {
      const asked = termsOf(hook);
      if (asked === undefined) continue;
      const place = [...hook.place, ...asked.place];
      if (names.length === 0) {
        throw this.document.fault(
          hook.place,
          `\`${hook.name}\` asks a person, and there are no \`channels\` to ask through.`,
        );
      }
      for (const [i, channel] of (asked.channels ?? []).entries()) {
        if (names.includes(channel)) continue;
        throw this.document.fault(
          [...place, 'channels', i],
          `there is no channel \`${channel}\`.${proposal(channel, names)}`,
        );
      }
      for (const [i, approver] of (asked.approvers ?? []).entries()) {
        const at = [...place, 'approvers', i];
        const [channel = '', id = ''] = approver.split(/:(.*)/s);
        if (id === '')
          throw this.document.fault(at, 'An approver is `<channel>:<immutable id>`, such as `slack:U024BE7LH`.');
        if (!names.includes(channel))
          throw this.document.fault(at, `there is no channel \`${channel}\`.${proposal(channel, names)}`);
      }
    }
  }
}

function scriptName(command: string | readonly string[]): string {
  if (typeof command === 'string') return command.slice(0, 60);
  const file = command.find((word, i) => (i > 0 && !word.startsWith('-')) || word.includes('/')) ?? command[0] ?? '';
  return basename(file);
}

interface Asked {
  readonly place: Place;
  readonly channels?: readonly string[] | undefined;
  readonly approvers?: readonly string[] | undefined;
}

/** What a hook says of the people it asks; `undefined` where it asks none, as far as the file tells. */
function termsOf(hook: HookPlan): Asked | undefined {
  if (hook.kind === 'module') return undefined;
  if (hook.kind === 'command') return hook.entry.ask === undefined ? undefined : { place: ['ask'], ...hook.entry.ask };
  const { builtin } = hook;
  if (builtin.use === 'ApprovalGate') return { place: ['with'], ...builtin.options };
  if (builtin.use !== 'CommandGuard' && builtin.use !== 'SpendLimit') return undefined;
  const { terms } = builtin.options;
  return terms !== undefined || mayAsk(builtin) ? { place: ['with', 'terms'], ...terms } : undefined;
}

function mayAsk(builtin: BuiltinPlan): boolean {
  if (builtin.use === 'CommandGuard') {
    const { ask, otherwise, unclear } = builtin.options;
    return ask !== undefined || otherwise === 'ask' || unclear === 'ask';
  }
  if (builtin.use !== 'SpendLimit') return false;
  const { askAbove, perDay, perSession } = builtin.options;
  return askAbove !== undefined || perDay?.askAbove !== undefined || perSession?.askAbove !== undefined;
}
