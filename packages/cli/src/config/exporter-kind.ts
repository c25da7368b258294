import { ObserverError } from '@hermes-observer/core';
import {
  genAiVersion,
  langfuseEndpoint,
  langfuseProfile,
  openInferenceProfile,
  type Profile,
  phoenixEndpoint,
  profilesOf,
} from '@hermes-observer/profiles';
import { type ExporterSettings, isRelayKind } from './exporter.js';

/** Langfuse itself has no bound on requests; proxies before it often have one of some MB. */
const LANGFUSE_REQUEST_BYTES = 3_500_000;

/** With the address and the headers that its kind and the variables of that backend give. @throws ObserverError `HO_CONFIG_VALUE`. */
export function withEndpoint(exporter: ExporterSettings, env: NodeJS.ProcessEnv, place: string): ExporterSettings {
  const { kind, url: baseUrl, public_key: publicKey, secret_key: secretKey, api_key: apiKey } = exporter;
  if (kind === 'otlp' || isRelayKind(kind)) return exporter;
  try {
    const { url, headers } =
      kind === 'langfuse'
        ? langfuseEndpoint({ publicKey, secretKey, baseUrl }, env)
        : phoenixEndpoint({ apiKey, baseUrl }, env);
    return { ...exporter, url, headers: { ...headers, ...exporter.headers } };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ObserverError('HO_CONFIG_VALUE', `${place}: exporter ${exporter.name}: ${reason}`, { cause });
  }
}

/** Profiles of exporters; those of the same settings are the same list, so that spans are mapped once for all of them. */
export class ExporterProfiles {
  readonly #known = new Map<string, readonly Profile[]>();
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** `undefined` where spans go as they are. */
  of(exporter: ExporterSettings): readonly Profile[] | undefined {
    const { kind, profiles = [], project, environment, release, tags, user_id: userId } = exporter;
    const key = JSON.stringify([kind, profiles, project, environment, release, tags, userId]);
    const made = this.#known.get(key) ?? this.#make(exporter);
    if (made.length === 0) return undefined;
    this.#known.set(key, made);
    return made;
  }

  #make({
    kind,
    profiles,
    project,
    environment,
    release,
    tags,
    user_id: userId,
  }: ExporterSettings): readonly Profile[] {
    const env = this.#env;
    const own: Profile[] = [];
    if (kind === 'langfuse') {
      own.push(
        langfuseProfile({
          environment: environment ?? (env.LANGFUSE_TRACING_ENVIRONMENT || undefined),
          release: release ?? (env.LANGFUSE_RELEASE || undefined),
          tags,
          userId,
        }),
      );
    } else if (kind === 'phoenix') {
      own.push(openInferenceProfile({ project: project ?? (env.PHOENIX_PROJECT_NAME || undefined) }));
    }
    const named = profiles ?? (kind === 'otlp' && genAiVersion(env) !== '1.41.1' ? (['genai'] as const) : []);
    const further = named.filter((name) => !own.some((profile) => profile.name === name));
    return further.length === 0 ? own : [...own, ...profilesOf(further, env)];
  }
}

export const maxRequestBytes = ({ kind }: ExporterSettings) =>
  kind === 'langfuse' ? LANGFUSE_REQUEST_BYTES : undefined;
