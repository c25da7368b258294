import { isDeepStrictEqual } from 'node:util';
import { ObserverError } from '@hermes-observer/core';
import { type Document, isMap, isScalar, isSeq, parseDocument, type YAMLSeq } from 'yaml';
import { mergeLines } from './merge-lines.js';
import { insertItem, type ListPath, removeItem } from './yaml-list.js';

export const PLUGIN_NAME = 'hermes-observer';

const ENABLED: ListPath = ['plugins', 'enabled'];
const DISABLED: ListPath = ['plugins', 'disabled'];

/**
 * The agent's `config.yaml` with the plugin enabled. All else stays to the byte.
 * @throws ObserverError `HO_INSTALL` for what is no map of settings, or is written in a way that only its author can change.
 */
export function withPlugin(text: string | undefined): string {
  const { isEnabled, isDisabled } = pluginState(text ?? '');
  let result: string | undefined = text ?? '';
  if (!isEnabled) result = insertItem(result, ENABLED, PLUGIN_NAME);
  // What is disabled stays so, whatever is enabled.
  if (isDisabled && result !== undefined) {
    result = removeItem(result, DISABLED, PLUGIN_NAME, { group: true, list: true });
  }
  if (result !== undefined && means(result, (plugins) => enabledIn(plugins), text ?? '')) return result;
  throw byHand(`add ${PLUGIN_NAME} to plugins.enabled`);
}

/**
 * The same without the plugin, and without lists that are there for it alone: none that `before` has, the text as it was
 * before it was enabled (`undefined`: there was none). What was changed since stays to the byte.
 * @throws ObserverError `HO_INSTALL`, as above.
 */
export function withoutPlugin(text: string, before?: string): string {
  if (!pluginState(text).isEnabled) return text;
  const past = pluginsIn(before ?? '');
  const isUndone = (result: string | undefined): result is string =>
    result !== undefined && means(result, (plugins) => disabledAgain(plugins, past), text);
  const merged = mergeLines(withPlugin(before), text, before ?? '');
  if (isUndone(merged)) return merged;
  const keep = { group: past !== undefined, list: past?.enabled !== undefined };
  let cut = removeItem(text, ENABLED, PLUGIN_NAME, keep);
  if (cut !== undefined && namesIn(past?.disabled).includes(PLUGIN_NAME)) cut = insertItem(cut, DISABLED, PLUGIN_NAME);
  if (isUndone(cut)) return cut;
  throw byHand(`take ${PLUGIN_NAME} out of plugins.enabled`);
}

function byHand(what: string): ObserverError {
  return new ObserverError(
    'HO_INSTALL',
    `the agent's config.yaml is written in a way that cannot be changed here without changing more: ${what} by hand`,
  );
}

type Plugins = Readonly<Record<string, unknown>> | null;

const namesIn = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);

function enabledIn(plugins: Plugins | undefined): Plugins {
  const enabled = namesIn(plugins?.enabled);
  return {
    ...plugins,
    enabled: enabled.includes(PLUGIN_NAME) ? enabled : [...enabled, PLUGIN_NAME],
    disabled: namesIn(plugins?.disabled).filter((name) => name !== PLUGIN_NAME),
  };
}

function disabledAgain(plugins: Plugins | undefined, before: Plugins | undefined): Plugins {
  const was = namesIn(before?.disabled).includes(PLUGIN_NAME) ? [PLUGIN_NAME] : [];
  return {
    ...plugins,
    enabled: namesIn(plugins?.enabled).filter((name) => name !== PLUGIN_NAME),
    disabled: [...new Set([...namesIn(plugins?.disabled), ...was])],
  };
}

/** Whether a text says what another one says, but for a change of its plugins. */
function means(text: string, change: (plugins: Plugins | undefined) => Plugins, of: string): boolean {
  try {
    const wanted = valuesOf(of);
    return isDeepStrictEqual(
      comparable(valuesOf(text)),
      comparable({ ...wanted, plugins: change(wanted.plugins as Plugins | undefined) }),
    );
  } catch {
    return false;
  }
}

/** An empty list, none, and no plugins at all are one; what is disabled has no order. */
function comparable(values: Readonly<Record<string, unknown>>): unknown {
  const { plugins, ...rest } = values;
  const { enabled, disabled, ...further } = (plugins ?? {}) as Record<string, unknown>;
  return { ...rest, plugins: { ...further, enabled: namesIn(enabled), disabled: namesIn(disabled).toSorted() } };
}

function valuesOf(text: string): Record<string, unknown> {
  return (documentOf(text).toJS() ?? {}) as Record<string, unknown>;
}

function pluginsIn(text: string): Plugins | undefined {
  return valuesOf(text).plugins as Plugins | undefined;
}

/** What the agent's configuration says of the plugin. */
export interface PluginState {
  readonly isEnabled: boolean;
  readonly isDisabled: boolean;
  /** Of `plugins.entries.hermes-observer.settings`. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export function pluginState(text: string): PluginState {
  const document = documentOf(text);
  const has = (name: string) => {
    const list = listOf(document, name);
    return list?.items.some((item) => (isScalar(item) ? item.value : item) === PLUGIN_NAME) === true;
  };
  const settings: unknown = document.toJS()?.plugins?.entries?.[PLUGIN_NAME]?.settings;
  return {
    isEnabled: has('enabled'),
    isDisabled: has('disabled'),
    settings: typeof settings === 'object' && settings !== null ? (settings as PluginState['settings']) : {},
  };
}

/** @throws ObserverError `HO_INSTALL` for what is no YAML map. */
function documentOf(text: string): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) {
    throw new ObserverError('HO_INSTALL', `the agent's config.yaml is no YAML: ${error.message.split('\n')[0]}`);
  }
  if (
    document.contents !== null &&
    !isMap(document.contents) &&
    !(isScalar(document.contents) && !document.contents.value)
  ) {
    throw new ObserverError('HO_INSTALL', "the agent's config.yaml is no map of settings");
  }
  return document as unknown as Document;
}

/** @throws ObserverError `HO_INSTALL` for what is there and no list that can be added to: an alias, a text, a merge. */
function listOf(document: Document, name: string): YAMLSeq | undefined {
  const plugins: unknown = document.get('plugins', true);
  const list: unknown = isMap(plugins) ? plugins.get(name, true) : plugins;
  if (isSeq(list) && isMap(plugins)) return list;
  const isNothing = list === undefined || list === null || (isScalar(list) && list.value === null);
  if (isNothing) return undefined;
  const what = isMap(plugins) ? `plugins.${name} is no plain list` : 'plugins is no plain map';
  throw new ObserverError(
    'HO_INSTALL',
    `the agent's config.yaml: ${what}; write it out, or add ${PLUGIN_NAME} by hand`,
  );
}
