import type { RememberScope } from '../hooks/hook.js';
import type { Asking } from './compose.js';

/** What the terms of all hooks that ask come to: all of it holds. */
export interface MergedTerms {
  readonly title: string;
  readonly gates: readonly { readonly name: string; readonly version?: string }[];
  readonly expiresMs: number;
  readonly approvers: readonly string[];
  readonly channels: readonly string[];
  readonly requesterMayApprove: boolean;
  readonly remember: { readonly scopes: readonly RememberScope[]; readonly maxMs: number } | null;
}

const DEFAULT_EXPIRY_MS = 3_600_000;

/** A text instead says why they cannot all hold: nobody may approve what each of them asks. */
export function mergeTerms(asking: readonly Asking[], tool: string): MergedTerms | string {
  const approvers = common(asking.map(({ terms }) => terms.approvers));
  if (approvers === undefined)
    return `${names(asking)} each want other people to approve it, and nobody is in all their lists.`;
  const channels = common(asking.map(({ terms }) => terms.channels));
  if (channels === undefined)
    return `${names(asking)} each want it asked by other channels, and none is in all their lists.`;
  const titles = [...new Set(asking.map(({ terms }) => terms.title ?? '').filter((title) => title !== ''))];
  return {
    title: titles.length === 0 ? `May ${tool} run?` : titles.join(' · '),
    gates: asking.map(({ hook: { name, version } }) => (version === undefined ? { name } : { name, version })),
    expiresMs: Math.min(...asking.map(({ terms }) => terms.expiresMs ?? DEFAULT_EXPIRY_MS)),
    approvers,
    channels,
    requesterMayApprove: asking.every(({ terms }) => terms.requesterMayApprove !== false),
    remember: rememberOf(asking),
  };
}

/** What is in all lists; empty where there is no list; `undefined` where nothing is. */
function common(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const given = lists.filter((list) => list !== undefined);
  const [first, ...others] = given;
  if (first === undefined) return [];
  const inAll = [...new Set(first)].filter((name) => others.every((list) => list.includes(name)));
  return inAll.length === 0 ? undefined : inAll;
}

function rememberOf(asking: readonly Asking[]): MergedTerms['remember'] {
  const wishes = asking.map(({ terms }) => terms.remember);
  const scopes = common(wishes.map((wish) => wish?.scopes ?? []));
  if (scopes === undefined || scopes.length === 0 || wishes.includes(undefined)) return null;
  return { scopes: scopes as readonly RememberScope[], maxMs: Math.min(...wishes.map((wish) => wish?.maxMs ?? 0)) };
}

const names = (asking: readonly Asking[]): string => asking.map(({ hook }) => hook.name).join(' and ');
