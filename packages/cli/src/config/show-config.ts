import type { ExporterSettings } from './exporter.js';
import type { Config } from './load-config.js';
import { durationText, sizeText } from './quantity.js';
import type { Setting } from './setting.js';
import { SETTING_KEYS, SETTINGS, type SettingKey } from './settings.js';

const MASK = '****';

/** One setting as `hermes-observer config` tells it. */
export interface ShownSetting {
  readonly key: SettingKey;
  readonly value: unknown;
  readonly origin: string;
}

/** All settings with where they came from. Secrets are masked, headers and credentials of exporters too. */
export function shownSettings({ values, origins }: Config): ShownSetting[] {
  return SETTING_KEYS.map((key) => ({ key, value: shownValue(key, values[key]), origin: origins[key] }));
}

function shownValue(key: SettingKey, value: unknown): unknown {
  const setting: Setting = SETTINGS[key];
  if (value === undefined) return null;
  if (setting.isSecret === true) return MASK;
  if (key === 'exporters') return (value as readonly ExporterSettings[]).map(shownExporter);
  if (key.endsWith('.url')) return withoutCredentials(value as string);
  return typeof value === 'number' ? withUnit(key, value) : value;
}

function shownExporter({ headers, url, timeout, public_key, secret_key, api_key, ...rest }: ExporterSettings) {
  const secrets = Object.entries({ public_key, secret_key, api_key }).filter(([, value]) => value !== undefined);
  return {
    ...rest,
    ...Object.fromEntries(secrets.map(([name]) => [name, MASK])),
    ...(url !== undefined && { url: withoutCredentials(url) }),
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, MASK])),
    timeout: durationText(timeout),
  };
}

/** An address as it may be printed. */
export function withoutCredentials(address: string): string {
  const url = new URL(address);
  return `${url.protocol}//${url.host}${url.pathname}`;
}

function withUnit(key: SettingKey, value: number): string | number {
  if (/[._]bytes$/.test(key)) return sizeText(value);
  return /^clock\.|^producer_/.test(key) || /[._](age|interval|history)$/.test(key) ? durationText(value) : value;
}

/** The same as lines of text for a person. */
export function configText(config: Config): string {
  const rows = shownSettings(config).map(({ key, value, origin }) => [key, plain(value), origin] as const);
  const width = (column: 0 | 1) => Math.min(48, Math.max(...rows.map((row) => row[column].length)));
  const [keys, values] = [width(0), width(1)];
  const lines = rows.map(([key, value, origin]) => `${key.padEnd(keys)}  ${value.padEnd(values)}  ${origin}`);
  return `# ${config.file}${config.hasFile ? '' : ' (does not exist)'}\n${lines.join('\n')}\n`;
}

function plain(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
