/** What the environment says of this package. */
export interface AutoSettings {
  /** `off`: nothing is done. `quiet`: nothing is said of what was found. */
  readonly mode: 'on' | 'quiet' | 'off';
  /** Names of adapters, such as `ai-sdk`, that are used alone. */
  readonly only: ReadonlySet<string> | undefined;
  readonly without: ReadonlySet<string>;
  /** Versions outside of the tested range are observed as well. */
  readonly untested: boolean;
  /** Spans are sent before a signal ends the program. */
  readonly signals: boolean;
  /** Words of the variables that mean nothing. */
  readonly unknown: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

export const MODE = 'HERMES_OBSERVER_AUTO';
export const FRAMEWORKS = 'HERMES_OBSERVER_AUTO_FRAMEWORKS';
export const UNTESTED = 'HERMES_OBSERVER_AUTO_UNTESTED';
export const SIGNALS = 'HERMES_OBSERVER_AUTO_SIGNALS';

/** @param known names of the adapters there are */
export function settingsOf(env: Environment, known: readonly string[]): AutoSettings {
  const unknown: string[] = [];
  const word = <T extends string>(name: string, words: readonly T[], preset: T): T => {
    const value = env[name]?.trim().toLowerCase() ?? '';
    const found = words.find((one) => one === value);
    if (found === undefined && value !== '') unknown.push(`${name}=${value} (${words.join(', ')})`);
    return found ?? preset;
  };
  const only = new Set<string>();
  const without = new Set<string>();
  for (const part of (env[FRAMEWORKS] ?? '').split(',')) {
    const name = part.trim().toLowerCase();
    const isOut = name.startsWith('-');
    const framework = isOut ? name.slice(1) : name;
    if (framework === '') continue;
    if (!known.includes(framework)) unknown.push(`${FRAMEWORKS}: ${framework} (${known.join(', ')})`);
    else (isOut ? without : only).add(framework);
  }
  const isDisabled = env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true';
  return {
    mode: isDisabled ? 'off' : word(MODE, ['on', 'quiet', 'off'], 'on'),
    only: only.size === 0 ? undefined : only,
    without,
    untested: word(UNTESTED, ['on', 'off'], 'off') === 'on',
    signals: word(SIGNALS, ['on', 'off'], 'off') === 'on',
    unknown,
  };
}
