import { PATTERN_KINDS } from '@hermes-observer/core';
import { CAPTURE_MODES } from '@hermes-observer/otel';
import * as z from 'zod';
import { costSchema } from '../cost/price-schema.js';
import { isHttpAddress } from '../output/traces-url.js';
import { exporterSchema, headers } from './exporter.js';
import { duration, orOff, size } from './quantity.js';
import type { Setting } from './setting.js';

const MIB = 2 ** 20;

const PATTERN_WORDS = PATTERN_KINDS.flatMap((kind) => [kind, `-${kind}` as const]);

const path = z
  .string('must be a path')
  .trim()
  .min(1, 'must be a path, not empty')
  .refine((text) => !text.includes('\0'), 'must be a path');
const name = z.string('must be a name').trim().min(1, 'must be a name, not empty');
const port = wholeNumber(0, 65_535);
const flag = z.union(
  [
    z.boolean(),
    z.enum(['true', '1', 'on']).transform(() => true),
    z.enum(['false', '0', 'off']).transform(() => false),
  ],
  'must be true or false',
);
const otlpAddress = z
  .string('must be an address')
  .refine(isHttpAddress, 'must be an http or https address, such as http://localhost:4318');
/** A token is one line of visible characters, since it goes into a header. */
const token = z.string('must be a text').regex(/^[\x21-\x7e]{16,512}$/, 'must be 16 to 512 visible characters');
const secret = z.string('must be a text').min(16, 'must have 16 characters or more');

/** A whole number, also as a variable writes it. */
function wholeNumber(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z
    .union([z.number(), z.string().trim().regex(/^\d+$/).transform(Number)], message)
    .refine((value) => Number.isInteger(value) && value >= least && value <= most, message);
}

/** A list, in a variable with commas. */
function listOf<T extends z.ZodType>(schema: T) {
  const split = (value: unknown) =>
    typeof value === 'string' ? value.split(',').flatMap((part) => part.trim() || []) : value;
  return z.preprocess(split, z.array(schema, 'must be a list'));
}

function choice<const T extends readonly [string, ...string[]]>(...words: T) {
  return z.enum(words, `must be one of ${words.join(', ')}`);
}

const define = <const T extends Readonly<Record<string, Setting>>>(settings: T) => settings;

/** Every setting of the service, by its key in the file. `docs/serve.md` has the same as a table. */
export const SETTINGS = define({
  data: {
    schema: path,
    shownDefault: '`$XDG_STATE_HOME/hermes-observer`, else `~/.local/state/hermes-observer`',
    meaning: 'Data folder: journal, spools, token.',
    flag: '--data <folder>',
  },
  socket: {
    schema: path,
    shownDefault: '`$XDG_RUNTIME_DIR/hermes-observer/observer.sock`, else `<data>/run/observer.sock`',
    meaning: 'Unix socket for forwarders.',
    flag: '--socket <path>',
  },
  'http.enabled': { schema: flag, preset: true, meaning: 'Whether to listen on HTTP.' },
  'http.host': { schema: name, preset: '127.0.0.1', meaning: 'Address to listen on.', flag: '--host <address>' },
  'http.port': { schema: port, preset: 4890, meaning: 'Port; 0 takes a free one.', flag: '--port <number>' },
  'http.allowed_hosts': {
    schema: listOf(name),
    preset: [],
    meaning: 'Further names that a client may call this machine, such as `host.docker.internal`.',
  },
  token: {
    schema: token,
    shownDefault: 'first line of `<data>/token`, which is made',
    meaning: 'What HTTP clients must show.',
    isSecret: true,
  },
  viewer: {
    schema: flag,
    preset: true,
    meaning: 'Whether to show turns as a web page, and to take spans of other programs for it (`on`, `off`).',
    flag: '--viewer <on|off>',
  },
  jaeger_url: {
    schema: z
      .string('must be an address')
      .refine(
        (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
        'must be an http or https address',
      ),
    shownDefault: 'none',
    meaning: 'Jaeger UI in which the viewer shows where the same span is, such as `http://localhost:16686`.',
    flag: '--jaeger-url <url>',
  },
  policy: {
    schema: path,
    shownDefault: 'none: tool calls are not asked about',
    // The plugin in the agent has a switch by the name that the rule would give.
    variable: 'HERMES_OBSERVER_POLICY_FILE',
    meaning: 'Policy that decides about tool calls, a YAML file, read at the start.',
    flag: '--policy <file>',
  },
  capture: {
    schema: choice(...(CAPTURE_MODES as unknown as readonly ['none', 'redacted', 'full'])),
    preset: 'none',
    meaning: 'How much content is kept and sent: `none`, `redacted` or `full`. Forwarders have to send it as well.',
    flag: '--capture <mode>',
  },
  'redaction.enabled': {
    schema: flag,
    preset: false,
    meaning:
      'Whether every field of each span is [redacted](redaction.md) before it goes to a spool, whatever `capture` says.',
  },
  'redaction.patterns': {
    schema: listOf(
      z.enum(PATTERN_WORDS, 'must be kinds to look for as well, or, with a - before them, kinds to leave'),
    ),
    preset: [],
    meaning: 'Kinds to look for as well, such as `ipv4`, or to leave, such as `-email`.',
  },
  'redaction.keys': {
    schema: listOf(name),
    preset: [],
    meaning: 'Further names of fields whose values are redacted whole.',
  },
  'redaction.paths': {
    schema: listOf(name),
    preset: [],
    meaning: 'Paths to values that are redacted whole.',
  },
  'redaction.mode': {
    schema: choice('mask', 'hash', 'remove'),
    preset: 'mask',
    meaning: 'What becomes of what is found.',
  },
  'redaction.salt': {
    schema: secret,
    shownDefault: 'none: `hash` needs one',
    meaning: 'Key of the hashes; with the same key equal values have equal marks.',
    isSecret: true,
  },
  cost: {
    schema: costSchema,
    preset: false,
    meaning:
      'Whether spans of model requests have [their cost](cost.md) (`on`, `off`); in the file also a map with [prices of your own](cost.md#prices-of-your-own).',
    flag: '--cost <on|off>',
  },
  'metrics.prometheus': {
    schema: flag,
    preset: false,
    meaning:
      'Whether `/metrics` has the [metrics of agents](metrics-and-logs.md) too, beside the counts of the service.',
  },
  'metrics.url': {
    schema: otlpAddress,
    shownDefault: 'none: they are not sent',
    meaning: 'OTLP receiver of these metrics and counts: its base address, or the full one with `/v1/metrics`.',
  },
  'metrics.headers': {
    schema: headers,
    shownDefault: 'none',
    meaning: 'Sent with them, such as `authorization`.',
    isSecret: true,
    variable: false,
  },
  'metrics.interval': { schema: duration(1_000, 3_600e3), preset: '1m', meaning: 'How often they are sent.' },
  'logs.url': {
    schema: otlpAddress,
    shownDefault: 'none: none are made',
    meaning:
      'OTLP receiver of [log records](metrics-and-logs.md#logs): its base address, or the full one with `/v1/logs`.',
  },
  'logs.headers': {
    schema: headers,
    shownDefault: 'none',
    meaning: 'Sent with them, such as `authorization`.',
    isSecret: true,
    variable: false,
  },
  agent_name: { schema: name, preset: 'hermes', meaning: 'Name of the agent in spans.', flag: '--agent-name <name>' },
  service_name: {
    schema: name,
    shownDefault: '`OTEL_SERVICE_NAME`, else `hermes-agent`',
    meaning: '`service.name` of the spans.',
    flag: '--service-name <name>',
  },
  'journal.fsync': {
    schema: choice('always', 'interval', 'never'),
    preset: 'interval',
    meaning: 'When records are synced and acknowledged: at once, within `journal.fsync_interval`, or not at all.',
  },
  'journal.fsync_interval': {
    schema: duration(1, 10_000),
    preset: '100ms',
    meaning: 'Longest wait of a record for its sync.',
  },
  'journal.max_bytes': {
    schema: size(16 * MIB),
    preset: '8GiB',
    meaning: 'Most that the journal may take with all history gone; above it nothing more is taken.',
  },
  'journal.history': {
    schema: orOff(duration(1_000)),
    preset: '7d',
    meaning: 'How long records are kept after their spans were made; `off` keeps none.',
  },
  'journal.history_bytes': { schema: size(MIB), preset: '1GiB', meaning: 'Most that these may take.' },
  exporters: {
    schema: z.array(exporterSchema, 'must be a list of exporters').max(16, 'must be 16 exporters at most'),
    shownDefault: 'one, if `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is set',
    meaning: 'OTLP backends that get the spans, see below.',
    variable: false,
  },
  'delivery.spool_bytes': {
    schema: size(MIB),
    preset: '1GiB',
    meaning: 'Most that may wait on disk for one exporter; over it the oldest spans are given up.',
  },
  'delivery.spool_age': { schema: duration(1_000), preset: '7d', meaning: 'How long they may wait.' },
  'webhook.secret': {
    schema: secret,
    shownDefault: 'none: `/hooks/hermes` does not exist',
    meaning: 'Secret that the agent signs its outbound webhooks with.',
    isSecret: true,
  },
  'webhook.secret_file': { schema: path, shownDefault: '', meaning: 'File whose first line is that secret.' },
  producer_grace: {
    schema: duration(0, 86_400e3),
    preset: '1m',
    meaning: 'A producer whose connection is gone for so long is over; its open spans end.',
  },
  producer_silence: {
    schema: duration(1_000),
    preset: '30m',
    meaning: 'The same for one without a connection (HTTP, webhooks), from its last record on.',
  },
  'clock.settle': {
    schema: duration(1_000),
    preset: '1m',
    meaning: 'How long a turn that seems to be over, and was not ended, may still get records.',
  },
  'clock.idle': {
    schema: duration(1_000),
    preset: '30m',
    meaning: 'A trace without any record for so long is over.',
  },
  'clock.person': {
    schema: duration(1_000),
    preset: '1d',
    meaning: 'The same while a person is asked.',
  },
  'limits.line_bytes': { schema: size(1024, 64 * MIB), preset: '16MiB', meaning: 'Longest line of a record.' },
  'limits.body_bytes': { schema: size(1024, 512 * MIB), preset: '64MiB', meaning: 'Largest HTTP body, unpacked.' },
  'limits.unacknowledged_bytes': {
    schema: size(64 * 1024, 256 * MIB),
    preset: '4MiB',
    meaning: 'Most that is read from one connection before it is on disk.',
  },
  'limits.waiting_bytes': {
    schema: size(MIB, 4096 * MIB),
    preset: '256MiB',
    meaning: 'Most that all connections together may hold in memory: half lines, bodies, records on their way to disk.',
  },
  'limits.connections': {
    schema: wholeNumber(8, 100_000),
    preset: 1024,
    meaning: 'Most connections of the socket, and of HTTP; over it the one that was silent for longest is closed.',
  },
});

export type SettingKey = keyof typeof SETTINGS;

/** What is in force. Settings without a default of their own may be absent. */
export type SettingValues = { -readonly [Key in SettingKey]: ValueOf<(typeof SETTINGS)[Key]> };

type ValueOf<T extends Setting> = T extends { readonly preset: unknown }
  ? z.output<T['schema']>
  : z.output<T['schema']> | undefined;

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];
