import { ObserverError } from '@hermes-observer/core';
import { genAiProfile } from '../genai/genai-profile.js';
import { langfuseProfile } from '../langfuse/langfuse-profile.js';
import type { Profile } from '../mapping/profile.js';
import { openInferenceProfile } from '../openinference/openinference-profile.js';

type Environment = Readonly<Record<string, string | undefined>>;

const NAMED = {
  genai: (env: Environment) => genAiProfile({ env }),
  'genai/1.41.1': () => genAiProfile({ version: '1.41.1' }),
  'genai/0.1.0': () => genAiProfile({ version: '0.1.0' }),
  'genai/both': () => genAiProfile({ version: 'both' }),
  openinference: () => openInferenceProfile(),
  langfuse: () => langfuseProfile(),
} as const;

/** `genai` is the version that `OTEL_SEMCONV_STABILITY_OPT_IN` asks for; the others say it themselves. */
export type ProfileName = keyof typeof NAMED;

export const PROFILE_NAMES = Object.keys(NAMED) as readonly ProfileName[];

/** @throws ObserverError `HO_OPTION` for a name that no profile has, and for a list without any. */
export function profilesOf(profiles: readonly (ProfileName | Profile)[], env: Environment = process.env): Profile[] {
  if (profiles.length === 0) throw new ObserverError('HO_OPTION', 'profiles is empty; leave it out, or name one.');
  return profiles.map((profile) => {
    if (typeof profile !== 'string') return profile;
    if (!Object.hasOwn(NAMED, profile)) {
      throw new ObserverError('HO_OPTION', `there is no profile ${profile}; use ${PROFILE_NAMES.join(', ')}.`);
    }
    return NAMED[profile](env);
  });
}
