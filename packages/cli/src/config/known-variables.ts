import { ObserverError } from '@hermes-observer/core';
import { nearestName } from './nearest-name.js';
import { PREFIX, type Setting, variableOf } from './setting.js';
import { SETTING_KEYS, SETTINGS } from './settings.js';

/** Variables that others read: the plugin in the agent, whose environment a service may share, and this program's start. */
const FURTHER = [
  'CONFIG',
  'URL',
  'FILE',
  'STREAM',
  'AUTOSTART',
  'POLICY',
  'POLICY_UNREACHABLE',
  'POLICY_TIMEOUT',
  'SURFACE',
  'AUTO',
  'AUTO_FRAMEWORKS',
  'AUTO_UNTESTED',
  'AUTO_AGENT',
  'AUTO_SIGNALS',
  'QUEUE_RECORDS',
  'QUEUE_BYTES',
  'SPOOL_BYTES',
  'SPOOL_FOLDER_BYTES',
  'SPOOL_FILE_BYTES',
];

/** Names of all variables of ours, without those that only tests read. */
export const KNOWN_VARIABLES: readonly string[] = [
  ...SETTING_KEYS.flatMap((key) => variableOf(key, SETTINGS[key] as Setting) ?? []),
  ...FURTHER.map((name) => PREFIX + name),
];

/** What Kubernetes and links of containers set for a service named `hermes-observer`. Nobody typed these. */
const OF_A_CLUSTER = /^(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const ADDRESS_OF_A_CLUSTER = /^(tcp|udp|sctp):\/\//;

/**
 * A name that nobody reads was meant to be another: without it the service would keep more, or elsewhere, than was asked for.
 * @throws ObserverError `HO_CONFIG_KEY` for variables that begin like ours and are none. Empty ones count as not set.
 */
export function checkVariables(env: NodeJS.ProcessEnv): void {
  const unknown = Object.keys(env).filter((name) => isUnknown(name, env[name] ?? ''));
  if (unknown.length === 0) return;
  const problems = unknown.sort().map((name) => {
    const nearest = nearestVariable(name);
    return `unknown variable ${name}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
  });
  const hint = problems.some((text) => text.endsWith('?')) ? '' : '; see docs/serve.md for all settings';
  throw new ObserverError('HO_CONFIG_KEY', problems.join(' ') + hint);
}

function isUnknown(name: string, value: string): boolean {
  if (value === '' || !name.toUpperCase().startsWith(PREFIX) || KNOWN_VARIABLES.includes(name)) return false;
  const rest = name.slice(PREFIX.length);
  return !OF_A_CLUSTER.test(rest) && !(rest === 'PORT' && ADDRESS_OF_A_CLUSTER.test(value));
}

/** Compared without what all begin with, which would make any two look alike. */
function nearestVariable(name: string): string | undefined {
  const known = KNOWN_VARIABLES.map((one) => one.slice(PREFIX.length).toLowerCase());
  const nearest = nearestName(name.slice(PREFIX.length), known);
  return nearest === undefined ? undefined : PREFIX + nearest.toUpperCase();
}
