/** What the hook was told about policy. */
export interface PolicySettings {
  /** What becomes of a call that nobody could be asked about. */
  readonly unreachable: 'block' | 'allow';
  /**
   * What becomes of a call whose arguments policy changed. `deny`: the model is told to make the call anew, with those; `update`:
   * Claude Code is given them, which some of its versions drop without a word.
   */
  readonly rewrites: 'deny' | 'update';
  /** Milliseconds that an answer may take. */
  readonly millis: number;
}

/** Less than the time that the installed entry gives the hook. */
const USUAL_SECONDS = 590;

/** `undefined` without `--policy`. A value that is not known counts as the stricter one. */
export function policySettings(argv: readonly string[]): PolicySettings | undefined {
  if (!argv.includes('--policy')) return undefined;
  const given = (flag: string) => {
    const at = argv.indexOf(flag);
    return at < 0 ? undefined : argv[at + 1];
  };
  const seconds = Number(given('--policy-timeout'));
  return {
    unreachable: given('--policy-unreachable') === 'allow' ? 'allow' : 'block',
    rewrites: given('--policy-rewrites') === 'update' ? 'update' : 'deny',
    millis: (seconds > 0 ? Math.min(seconds, USUAL_SECONDS) : USUAL_SECONDS) * 1000,
  };
}
