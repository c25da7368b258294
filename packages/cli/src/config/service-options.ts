import { readFileSync } from 'node:fs';
import { ObserverError } from '@hermes-observer/core';
import { resourceAttributes, type SpanRedactionOptions } from '@hermes-observer/otel';
import { signalUrl } from '../output/traces-url.js';
import type { ExporterSettings } from './exporter.js';
import { ExporterProfiles, maxRequestBytes } from './exporter-kind.js';
import type { Config } from './load-config.js';
import type { SettingValues } from './settings.js';

/** What is in force, as the service takes it. @throws ObserverError `HO_CONFIG_VALUE` for certificates that cannot be read. */
export function serviceOptions({ values, origins }: Config, env: NodeJS.ProcessEnv = process.env) {
  const history = values['journal.history'];
  const profiles = new ExporterProfiles(env);
  return {
    dataFolder: values.data as string,
    sync: values['journal.fsync'],
    syncMillis: values['journal.fsync_interval'],
    journal: {
      history: history === 'off' ? history : { ageMillis: history, bytes: values['journal.history_bytes'] },
      maxBytes: values['journal.max_bytes'],
    },
    spool: { bytes: values['delivery.spool_bytes'], ageMillis: values['delivery.spool_age'] },
    capture: values.capture,
    ...redactionOf(values),
    agentName: values.agent_name,
    ...(values.service_name !== undefined && { serviceName: values.service_name }),
    resourceAttributes: furtherAttributes(env),
    clock: {
      settleMillis: values['clock.settle'],
      idleMillis: values['clock.idle'],
      personMillis: values['clock.person'],
    },
    producerGraceMillis: values.producer_grace,
    producerSilenceMillis: values.producer_silence,
    ...signalsOf(values),
    exporters: (values.exporters ?? []).map((exporter) => ({
      ...targetOf(exporter, origins.exporters),
      ...profiled(exporter, profiles),
    })),
  } as const;
}

/** @throws ObserverError `HO_CONFIG_VALUE` for what is to be redacted while nothing is. */
function redactionOf(values: SettingValues): { redaction?: SpanRedactionOptions } {
  const { 'redaction.keys': keys, 'redaction.paths': paths, 'redaction.patterns': words } = values;
  if (!values['redaction.enabled']) {
    if (keys.length + paths.length + words.length === 0) return {};
    const text = 'redaction.keys, paths or patterns are set, and redaction is not on; set redaction.enabled: true.';
    throw new ObserverError('HO_CONFIG_VALUE', text);
  }
  const patterns = words.map((word) => (word.startsWith('-') ? [word.slice(1), false] : [word, true]));
  const { 'redaction.mode': mode, 'redaction.salt': salt } = values;
  return { redaction: { patterns: Object.fromEntries(patterns), keys, paths, mode, salt } };
}

/** Metrics and log records, where they are asked for, with full addresses. */
export function signalsOf(values: SettingValues) {
  const { 'metrics.url': metricsUrl, 'metrics.headers': metricsHeaders = {}, 'metrics.interval': interval } = values;
  const { 'logs.url': logsUrl, 'logs.headers': logsHeaders = {} } = values;
  const target = metricsUrl && {
    url: signalUrl(metricsUrl, 'metrics'),
    headers: metricsHeaders,
    intervalMillis: interval,
  };
  return {
    ...((values['metrics.prometheus'] || target) && { metrics: target ? { target } : {} }),
    ...(logsUrl && { logs: { url: signalUrl(logsUrl, 'logs'), headers: logsHeaders } }),
  };
}

/** `service.name` has a setting of its own. */
function furtherAttributes(env: NodeJS.ProcessEnv): Record<string, string> {
  const { 'service.name': _, ...rest } = resourceAttributes(env);
  return rest as Record<string, string>;
}

/** What spans are made into for an exporter, where that is not what they are. */
function profiled(exporter: ExporterSettings, known: ExporterProfiles) {
  const profiles = known.of(exporter);
  const most = maxRequestBytes(exporter);
  return { ...(profiles !== undefined && { profiles }), ...(most !== undefined && { maxRequestBytes: most }) };
}

function targetOf(exporter: ExporterSettings, origin: string) {
  const { kind, name, url, file, folder, headers, timeout, compression, protocol } = exporter;
  if (kind === 'atof') return { kind, name, path: file ?? '' } as const;
  if (kind === 'atif') {
    const { trajectory, subagents } = exporter;
    return {
      kind,
      name,
      path: folder ?? '',
      ...(trajectory !== undefined && { trajectory }),
      ...(subagents !== undefined && { subagents }),
    } as const;
  }
  if (url === undefined) return { kind: 'file', name, path: file ?? '' } as const;
  const pem = (setting: 'ca_file' | 'cert_file' | 'key_file') => {
    const path = exporter[setting];
    return path === undefined ? undefined : readPem(path, setting, name, origin);
  };
  const [ca, cert, key] = [pem('ca_file'), pem('cert_file'), pem('key_file')];
  return {
    kind: 'http',
    name,
    url,
    headers,
    timeoutMillis: timeout,
    compression,
    protocol,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  } as const;
}

function readPem(path: string, setting: string, name: string, origin: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ObserverError('HO_CONFIG_VALUE', `${origin}: ${setting} of exporter ${name} cannot be read: ${path}`, {
      cause,
    });
  }
}
