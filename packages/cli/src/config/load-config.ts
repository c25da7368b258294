import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import { PRICE_FIELDS } from '../cost/price-schema.js';
import type { FileValue } from './config-file.js';
import { EXPORTER_FIELDS, type ExporterSettings, exporterOfEnvironment, requestsOfEnvironment } from './exporter.js';
import { withEndpoint } from './exporter-kind.js';
import { checkVariables } from './known-variables.js';
import { nearestName } from './nearest-name.js';
import { leadsTo, ownAddresses } from './own-address.js';
import { defaultConfigFile, defaultDataFolder, defaultSocket, expandPath } from './places.js';
import { type Setting, variableOf } from './setting.js';
import { SETTING_KEYS, SETTINGS, type SettingKey, type SettingValues } from './settings.js';

export interface ConfigSources {
  /** By key, as they were typed. */
  readonly flags?: Partial<Record<SettingKey, string>>;
  /** Of flags that name where spans go, as the file would list it. Standard variables say the rest of addresses. */
  readonly exporters?: readonly Readonly<Record<string, unknown>>[];
  readonly env?: NodeJS.ProcessEnv;
  /** Of `--config`. */
  readonly file?: string;
  /** What relative paths of flags and variables start at. */
  readonly cwd?: string;
}

/** What is in force, and where each value came from: a flag, a variable, `file:line`, or `default`. */
export interface Config {
  readonly values: SettingValues;
  readonly origins: Readonly<Record<SettingKey, string>>;
  /** The file that was read, or would be if it existed. */
  readonly file: string;
  readonly hasFile: boolean;
  /**
   * The standard variable that names the address of the service itself: it was set for programs that send to it, as `serve` says,
   * and names no backend.
   */
  readonly ownEndpoint?: string;
}

interface Given {
  readonly value: unknown;
  readonly origin: string;
  /** What a relative path starts at. */
  readonly base: string;
}

const PATHS: ReadonlySet<SettingKey> = new Set(['data', 'socket', 'webhook.secret_file', 'policy']);

/**
 * Flags, else the environment, else one YAML file, else defaults. The YAML reader is loaded only if there is a file.
 * @throws ObserverError `HO_CONFIG_FILE`, `HO_CONFIG_KEY`, `HO_CONFIG_VALUE`; the message names the place and the mend.
 */
export async function loadConfig(sources: ConfigSources = {}): Promise<Config> {
  const { flags = {}, env = process.env, cwd = process.cwd() } = sources;
  const exporters = (sources.exporters ?? []).map((one) =>
    one.url === undefined ? one : { ...requestsOfEnvironment(env), ...one },
  );
  checkVariables(env);
  const named = sources.file ?? (env.HERMES_OBSERVER_CONFIG || undefined);
  const file = named === undefined ? defaultConfigFile(env) : expandPath(named, cwd, env);
  const fromFile = await valuesOfFile(file, named !== undefined);
  const values: Partial<Record<SettingKey, unknown>> = {};
  const origins: Partial<Record<SettingKey, string>> = {};
  for (const key of SETTING_KEYS) {
    const named =
      key === 'exporters' && exporters.length > 0 ? { value: exporters, origin: 'flags', base: cwd } : undefined;
    const given = named ?? givenFor(key, flags, env, fromFile, file, cwd);
    const setting: Setting = SETTINGS[key];
    const start =
      given ?? (setting.preset === undefined ? undefined : { value: setting.preset, origin: 'default', base: cwd });
    origins[key] = start?.origin ?? 'default';
    if (start === undefined) continue;
    const value = checked(key, setting, start);
    values[key] = PATHS.has(key) ? expandPath(value as string, start.base, env) : value;
    if (key === 'exporters') {
      const exporters = withPaths(value as ExporterSettings[], start.base, env);
      values[key] = exporters.map((one) => withEndpoint(one, env, start.origin));
    }
  }
  const { ownEndpoint } = complete(values as SettingValues, origins as Record<SettingKey, string>, env, cwd);
  return {
    values: values as SettingValues,
    origins: origins as Config['origins'],
    file,
    hasFile: fromFile !== undefined,
    ...(ownEndpoint !== undefined && { ownEndpoint }),
  };
}

async function valuesOfFile(path: string, mustExist: boolean): Promise<ReadonlyMap<string, FileValue> | undefined> {
  if (!mustExist && !canRead(path)) return undefined;
  const { readConfigFile } = await import('./config-file.js');
  return readConfigFile(path, SETTING_KEYS, mustExist);
}

/** Whether there is something to read, so that its reader need not be loaded when there is not. */
function canRead(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

function givenFor(
  key: SettingKey,
  flags: Partial<Record<SettingKey, string>>,
  env: NodeJS.ProcessEnv,
  fromFile: ReadonlyMap<string, FileValue> | undefined,
  file: string,
  cwd: string,
): Given | undefined {
  const setting: Setting = SETTINGS[key];
  const flag = flags[key];
  if (flag !== undefined) return { value: flag, origin: setting.flag?.split(' ')[0] ?? 'flag', base: cwd };
  const variable = variableOf(key, setting);
  const text = variable === undefined ? undefined : env[variable];
  if (variable !== undefined && text !== undefined && text !== '') return { value: text, origin: variable, base: cwd };
  const entry = fromFile?.get(key);
  return entry === undefined ? undefined : { value: entry.value, origin: `${file}:${entry.line}`, base: dirname(file) };
}

function checked(key: SettingKey, setting: Setting, { value, origin }: Given): unknown {
  const { success, data, error } = setting.schema.safeParse(value);
  if (success) return data;
  // A mistyped name, before what is missing without it.
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0];
  const place = [key, ...(issue?.path ?? [])].join('.').replace(/\.(\d+)(?=\.|$)/g, '[$1]');
  let problem = issue?.message ?? 'is no such value';
  if (issue?.code === 'unrecognized_keys') {
    const [unknown = ''] = issue.keys;
    const nearest = nearestName(unknown, fieldsIn(key, issue.path));
    problem = `has no setting ${unknown}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
  } else if (issue?.code === 'invalid_type' && value !== undefined && !issue.message.startsWith('must')) {
    problem = `must be of type ${issue.expected}`;
  }
  const shown = setting.isSecret === true || typeof value === 'object' ? '' : `, not '${String(value).slice(0, 80)}'`;
  throw new ObserverError('HO_CONFIG_VALUE', `${origin}: ${place} ${problem}${shown}`);
}

/** Names that a map may have at `path` in a setting. */
function fieldsIn(key: SettingKey, path: readonly PropertyKey[]): readonly string[] {
  if (key === 'exporters') return EXPORTER_FIELDS.map(([name]) => name);
  if (key !== 'cost') return [];
  return path.length === 0 ? ['prices', 'list'] : PRICE_FIELDS;
}

function withPaths(exporters: readonly ExporterSettings[], base: string, env: NodeJS.ProcessEnv): ExporterSettings[] {
  return exporters.map(({ file, folder, ca_file: caFile, cert_file: certFile, key_file: keyFile, ...rest }) => ({
    ...rest,
    ...(file !== undefined && { file: expandPath(file, base, env) }),
    ...(folder !== undefined && { folder: expandPath(folder, base, env) }),
    ...(caFile !== undefined && { ca_file: expandPath(caFile, base, env) }),
    ...(certFile !== undefined && { cert_file: expandPath(certFile, base, env) }),
    ...(keyFile !== undefined && { key_file: expandPath(keyFile, base, env) }),
  }));
}

/** Fills in what depends on other settings. */
function complete(
  values: SettingValues,
  origins: Record<SettingKey, string>,
  env: NodeJS.ProcessEnv,
  cwd: string,
): Pick<Config, 'ownEndpoint'> {
  values.data ??= defaultDataFolder(env);
  values.socket ??= defaultSocket(env, values.data);
  if (values.service_name === undefined && env.OTEL_SERVICE_NAME) {
    values.service_name = env.OTEL_SERVICE_NAME;
    origins.service_name = 'OTEL_SERVICE_NAME';
  }
  const standard = values.exporters === undefined ? exporterOfEnvironment(env) : undefined;
  const isOwn = standard !== undefined && leadsTo(ownAddresses(values), standard.url);
  if (standard !== undefined && !isOwn) {
    const given = { value: standard.value, origin: standard.variable, base: '' };
    const exporters = withPaths(checked('exporters', SETTINGS.exporters, given) as ExporterSettings[], cwd, env);
    const { exactUrl } = standard;
    values.exporters = exactUrl === undefined ? exporters : exporters.map((one) => ({ ...one, url: exactUrl }));
    origins.exporters = standard.variable;
  }
  const names = values.exporters?.map(({ name }) => name) ?? [];
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    throw new ObserverError(
      'HO_CONFIG_VALUE',
      `${origins.exporters}: two exporters are named ${twice}; names must differ`,
    );
  }
  if (values['webhook.secret_file'] !== undefined && values['webhook.secret'] === undefined) {
    const given = {
      value: firstLine(values['webhook.secret_file'], origins),
      origin: values['webhook.secret_file'],
      base: '',
    };
    values['webhook.secret'] = checked('webhook.secret', SETTINGS['webhook.secret'], given) as string;
    origins['webhook.secret'] = values['webhook.secret_file'];
  }
  return isOwn ? { ownEndpoint: standard.variable } : {};
}

function firstLine(path: string, origins: Record<SettingKey, string>): string {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/, 1)[0] ?? '';
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split(',')[0] : String(cause);
    const message = `${origins['webhook.secret_file']}: webhook.secret_file ${path} cannot be read: ${reason}`;
    throw new ObserverError('HO_CONFIG_VALUE', message, { cause });
  }
}
