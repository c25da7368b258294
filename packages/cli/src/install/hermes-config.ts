import { ObserverError } from '@hermes-observer/core';
import { type Document, isMap, isScalar, isSeq, parseDocument, type YAMLSeq } from 'yaml';
import { insertIntoList } from './yaml-insert.js';

export const PLUGIN_NAME = 'hermes-observer';

const WIDE = { lineWidth: 0 };

/** The agent's `config.yaml` with the plugin enabled. Comments, order and all else stay. */
export function withPlugin(text: string | undefined): string {
  const document = documentOf(text ?? '');
  const enabled = listOf(document, 'enabled');
  const disabled = listOf(document, 'disabled');
  const isOn = enabled !== undefined && indexOf(enabled) >= 0;
  const isOff = disabled !== undefined && indexOf(disabled) >= 0;
  if (text !== undefined && isOn && !isOff) return text;
  if (!isOn) {
    if (enabled === undefined && !isMap(document.get('plugins', true))) {
      document.set('plugins', document.createNode({ enabled: [PLUGIN_NAME] }));
    } else if (enabled === undefined) document.setIn(['plugins', 'enabled'], document.createNode([PLUGIN_NAME]));
    else enabled.add(document.createNode(PLUGIN_NAME));
  }
  // What is disabled stays so, whatever is enabled.
  if (disabled !== undefined && isOff) disabled.delete(indexOf(disabled));
  return insertIntoList(text ?? '', ['plugins', 'enabled'], PLUGIN_NAME, document.toJS()) ?? document.toString(WIDE);
}

/** The same without the plugin. */
export function withoutPlugin(text: string): string {
  const document = documentOf(text);
  const enabled = listOf(document, 'enabled');
  if (enabled === undefined || indexOf(enabled) < 0) return text;
  enabled.delete(indexOf(enabled));
  return document.toString(WIDE);
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
    return list !== undefined && indexOf(list) >= 0;
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

function indexOf(list: YAMLSeq): number {
  return list.items.findIndex((item) => (isScalar(item) ? item.value : item) === PLUGIN_NAME);
}
