import { validateHeaderName, validateHeaderValue } from 'node:http';
import { parseHeaders } from '@hermes-observer/otel';
import { PROFILE_NAMES, type ProfileName } from '@hermes-observer/profiles';
import * as z from 'zod';
import { isHttpAddress, tracesUrl } from '../output/traces-url.js';
import { duration } from './quantity.js';

const address = z
  .string('must be an address')
  .refine(isHttpAddress, 'must be an http or https address, such as http://localhost:4318');

const exporterName = z
  .string('must be a name')
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be a name of small letters, digits, - and _')
  .describe('Names its spool and its figures. Two exporters never share one.');

const text = z.string('must be a text').trim().min(1, 'must be a text, not empty');

/** What a backend is, where more about it is known than that it takes OTLP. */
export const EXPORTER_KINDS = ['otlp', 'langfuse', 'phoenix', 'atof', 'atif'] as const;

const filePath = z.string('must be a path').min(1, 'must be a path').optional();

/** Headers of HTTP requests. */
export const headers = z
  .record(z.string(), z.string('must be a text'), 'must be a map of names and values')
  .refine(canBeSent, 'must have names and values that HTTP can carry');

const shape = {
  name: exporterName,
  kind: z
    .enum(EXPORTER_KINDS, `must be one of ${EXPORTER_KINDS.join(', ')}`)
    .default('otlp')
    .describe(
      '`otlp`, or a backend with [settings of its own](backends.md): `langfuse`, `phoenix`; or files of [NeMo Relay](relay.md): `atof`, `atif`.',
    ),
  url: address
    .optional()
    .describe('Base address of a backend, or the full one with `/v1/traces`. Those of other kinds have a default.'),
  profiles: z
    .array(
      z.enum(PROFILE_NAMES as readonly [ProfileName, ...ProfileName[]], `must be one of ${PROFILE_NAMES.join(', ')}`),
      'must be a list of profiles',
    )
    .min(1, 'must name a profile, or be left out')
    .optional()
    .describe(
      'Names that attributes have there, see [profiles](profiles.md). Kinds have theirs, to which these are added.',
    ),
  headers: headers.default({}).describe('Sent with each request, such as `authorization`.'),
  timeout: duration(100, 600_000).prefault('10s').describe('Longest wait for one request, retries included.'),
  compression: z.enum(['none', 'gzip'], 'must be none or gzip').default('none').describe('`none` or `gzip`.'),
  protocol: z
    .enum(['http/json', 'http/protobuf'], 'must be http/json or http/protobuf')
    .optional()
    .describe(
      '`http/json`, which can be read on its way and is the default, or `http/protobuf`, which is smaller, and all that some take.',
    ),
  ca_file: z
    .string('must be a path')
    .min(1, 'must be a path')
    .optional()
    .describe('Certificates (PEM) that are trusted, instead of those that Node.js knows.'),
  cert_file: filePath.describe('Certificate (PEM) that the backend asks of this client.'),
  key_file: filePath.describe('Its private key (PEM).'),
  file: z
    .string('must be a path')
    .min(1, 'must be a path')
    .optional()
    .describe(
      'Instead of `url`: a file of OTLP/JSON, one request a line, that is appended to. Its folder has to be there. Of `atof` too: a file of events.',
    ),
  folder: filePath.describe('`atif`: folder of the trajectories, which is made.'),
  trajectory: z
    .enum(['turn', 'session'], 'must be turn or session')
    .optional()
    .describe('`atif`: one file a `turn`, the default, or a `session`.'),
  subagents: z
    .enum(['embedded', 'files'], 'must be embedded or files')
    .optional()
    .describe('`atif`: child agents `embedded` in the file of their parent, the default, or in `files` of their own.'),
  public_key: text.optional().describe('`langfuse`: public key of the project, else `LANGFUSE_PUBLIC_KEY`.'),
  secret_key: text.optional().describe('`langfuse`: its secret key, else `LANGFUSE_SECRET_KEY`.'),
  environment: text.optional().describe('`langfuse`: environment of the traces, else `LANGFUSE_TRACING_ENVIRONMENT`.'),
  release: text.optional().describe('`langfuse`: release of the application, else `LANGFUSE_RELEASE`.'),
  tags: z.array(text, 'must be a list').optional().describe('`langfuse`: tags of every trace.'),
  user_id: text.optional().describe('`langfuse`: whom the agent works for.'),
  api_key: text.optional().describe('`phoenix`: key, else `PHOENIX_API_KEY`.'),
  project: text.optional().describe('`phoenix`: project of the traces, else `PHOENIX_PROJECT_NAME`.'),
};

/** Settings that one kind alone has. */
const OF_KIND = {
  otlp: [],
  langfuse: ['public_key', 'secret_key', 'environment', 'release', 'tags', 'user_id'],
  phoenix: ['api_key', 'project'],
  atof: [],
  atif: ['folder', 'trajectory', 'subagents'],
} as const satisfies Record<(typeof EXPORTER_KINDS)[number], readonly (keyof typeof shape)[]>;

/** Files of another format than OTLP. */
export const isRelayKind = (kind: (typeof EXPORTER_KINDS)[number]): kind is 'atof' | 'atif' =>
  kind === 'atof' || kind === 'atif';

function canBeSent(headers: Readonly<Record<string, string>>): boolean {
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    return true;
  } catch {
    return false;
  }
}

/** One place where spans go, as the file describes it: an OTLP backend, or a file. */
export const exporterSchema = z
  .strictObject(shape)
  .refine(
    ({ kind, url, file }) =>
      isRelayKind(kind) || (kind === 'otlp' ? (url === undefined) !== (file === undefined) : file === undefined),
    'must have a url or a file, and not both',
  )
  .refine(({ kind, url, file }) => kind !== 'atof' || (file !== undefined && url === undefined), {
    message: 'of kind atof must have a file, and no url',
  })
  .refine(
    ({ kind, url, file, folder }) =>
      kind !== 'atif' || (folder !== undefined && url === undefined && file === undefined),
    'of kind atif must have a folder, and no url or file',
  )
  .refine(({ kind, profiles }) => !isRelayKind(kind) || profiles === undefined, {
    path: ['profiles'],
    message: 'is for backends of OTLP',
  })
  .superRefine((exporter, context) => {
    for (const [kind, names] of Object.entries(OF_KIND)) {
      if (kind === exporter.kind) continue;
      const strange = names.find((name) => exporter[name] !== undefined);
      if (strange !== undefined) {
        context.addIssue({ code: 'custom', path: [strange], message: `is a setting of kind: ${kind}` });
      }
    }
  })
  .refine(({ kind, protocol }) => kind !== 'phoenix' || protocol !== 'http/json', {
    path: ['protocol'],
    message: 'must be http/protobuf, the one that Phoenix takes',
  })
  .refine(
    ({ cert_file: cert, key_file: key }) => (cert === undefined) === (key === undefined),
    'must have both of cert_file and key_file, or none',
  )
  .transform(({ protocol, ...rest }) => ({
    ...rest,
    protocol: protocol ?? (rest.kind === 'phoenix' ? 'http/protobuf' : 'http/json'),
    ...(rest.kind === 'otlp' && rest.url !== undefined && { url: tracesUrl(rest.url) }),
  }));

export type ExporterSettings = z.output<typeof exporterSchema>;

/** Names and meanings of what an exporter can be told. */
export const EXPORTER_FIELDS: readonly (readonly [string, string])[] = Object.entries(shape).map(
  ([name, schema]) => [name, schema.description ?? ''] as const,
);

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const TRACES_ENDPOINT = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';

/** What the standard variables describe. */
export interface StandardExporter {
  /** The one that names the address. */
  readonly variable: string;
  readonly url: string;
  /** As the file would have it. */
  readonly value: readonly Record<string, unknown>[];
  /** An address to be used as it is; a base address gets the path of traces. */
  readonly exactUrl?: string;
}

/** `undefined` when they name no address. */
export function exporterOfEnvironment(env: NodeJS.ProcessEnv): StandardExporter | undefined {
  const variable = env[TRACES_ENDPOINT] ? TRACES_ENDPOINT : ENDPOINT;
  const url = env[variable];
  if (!url || env.OTEL_TRACES_EXPORTER?.trim() === 'none') return undefined;
  return {
    variable,
    url,
    ...(variable === TRACES_ENDPOINT && URL.canParse(url) && { exactUrl: new URL(url).href }),
    value: [{ name: 'otlp', url, ...requestsOfEnvironment(env) }],
  };
}

/** What the standard variables say of requests, whatever address these go to; as the file would have it. */
export function requestsOfEnvironment(env: NodeJS.ProcessEnv): Readonly<Record<string, unknown>> {
  const given = (name: string) => env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`];
  const timeout = given('TIMEOUT');
  const compression = given('COMPRESSION');
  const [certificate, own, key] = [given('CERTIFICATE'), given('CLIENT_CERTIFICATE'), given('CLIENT_KEY')];
  const protocol = given('PROTOCOL');
  return {
    headers: parseHeaders(given('HEADERS') ?? ''),
    ...(timeout !== undefined && { timeout: /^\d+$/.test(timeout) ? `${timeout}ms` : timeout }),
    ...(compression !== undefined && { compression }),
    ...(protocol !== undefined && { protocol }),
    ...(certificate !== undefined && { ca_file: certificate }),
    ...(own !== undefined && { cert_file: own }),
    ...(key !== undefined && { key_file: key }),
  };
}
