import { entryPointOf } from '../entry-point.js';

/** Where a module of a framework tells that it was loaded: the same in all copies of this package. */
export const LISTENER = Symbol.for('hermes.observer.auto.1');

/**
 * A module's source with a last statement that hands its namespace over. A module may import itself: so no export has to be
 * known, none is copied, and whoever imports it gets the module as it is. `undefined` for all other modules.
 *
 * @param url of the module
 */
export function watchedSource(url: string, format: string | null | undefined, source: unknown): string | undefined {
  if (format !== 'module' || !url.startsWith('file:') || source === null || source === undefined) return undefined;
  const found = entryPointOf(url);
  if (found === undefined) return undefined;
  const code = typeof source === 'string' ? source : new TextDecoder().decode(source as Uint8Array);
  // Hooks may be there twice: Node.js 20 runs what `--require` names in the thread of the hooks as well.
  if (code.includes(HANDED_OVER)) return undefined;
  const replaced = found.framework.replaces?.names.map((name) => replacement(code, name)).join('') ?? '';
  return `${code}\n;${replaced}${handOver(url)}`;
}

/** What each watched source has in it, once. */
const HANDED_OVER = 'import * as __hermesObserver from';

/**
 * The listener never throws; it may not be there, in a thread that was started without this package, or be something else that
 * the program put there.
 */
const handOver = (url: string) =>
  `${HANDED_OVER} ${JSON.stringify(url)};` +
  `try{globalThis[Symbol.for(${JSON.stringify(LISTENER.description)})]?.loaded(import.meta.url, __hermesObserver);}catch{}`;

/** Sets the function behind an export to another one: importers see that. Nothing where it cannot be found, or be set. */
function replacement(code: string, name: string): string {
  const exported = new RegExp(`export\\s*\\{[^}]*?([\\w$]+) as ${name}\\b`).exec(code)?.[1];
  const local = exported ?? (new RegExp(`export\\s+(?:async\\s+)?function ${name}\\b`).test(code) ? name : undefined);
  if (local === undefined) return '';
  const listener = `globalThis[Symbol.for(${JSON.stringify(LISTENER.description)})]`;
  return `try{${local}=${listener}?.replaced(import.meta.url,${JSON.stringify(name)},${local})??${local}}catch{}`;
}
