import type { Finding } from './finding.js';

/** The protocol that this program speaks, like `listeners/protocol.ts`; a test holds them together. */
export const SPOKEN_PROTOCOL = 1;

/** Does the agent have a fault that takes records away? */
export function agentFinding(version: string | undefined): Finding {
  if (version === undefined) {
    return {
      id: 'agent',
      level: 'note',
      text: 'the version of the agent is not known yet: it tells with its first record',
    };
  }
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).map(Number);
  if (major === 0 && minor === 21 && patch <= 3) {
    return {
      id: 'agent',
      level: 'warning',
      text: `Hermes Agent ${version} drops hook calls that overlap, so tools and requests will be missing`,
      mend: 'update the agent to 0.22 or newer',
    };
  }
  return { id: 'agent', level: 'ok', text: `Hermes Agent ${version}` };
}

export interface Versions {
  /** Of the plugin on disk. */
  readonly plugin: string | undefined;
  /** Of this program, and of the service that runs. */
  readonly own: string;
  readonly service: string | undefined;
  readonly serviceProtocol: number | undefined;
  /** Of the producers that said hello: protocol and version. */
  readonly forwarders: readonly { readonly name: string; readonly protocol: unknown; readonly version: unknown }[];
}

/** Do the parts fit? */
export function versionFindings({ plugin, own, service, serviceProtocol, forwarders }: Versions): Finding[] {
  const findings: Finding[] = [];
  const warn = (text: string, mend: string) => findings.push({ id: 'versions', level: 'warning', text, mend });
  if (plugin !== undefined && plugin !== own) {
    warn(
      `the plugin in the agent is ${plugin}, this command ${own}`,
      'hermes-observer install hermes, then restart the agent',
    );
  }
  if (service !== undefined && service !== own) {
    warn(
      `the service that runs is ${service}, this command ${own}`,
      'end the service, and start it anew with: hermes-observer serve',
    );
  }
  const protocol = serviceProtocol ?? SPOKEN_PROTOCOL;
  for (const { name, protocol: spoken, version } of forwarders) {
    if (typeof spoken !== 'number' || spoken === protocol) continue;
    const isOlder = spoken < protocol;
    findings.push({
      id: 'versions',
      level: 'fault',
      text: `${name} speaks protocol ${spoken} (forwarder ${String(version)}), the service ${protocol}: records may be misread`,
      mend: isOlder
        ? 'hermes-observer install hermes, then restart the agent'
        : 'update this program and restart the service, or put its plugin in: hermes-observer install hermes',
    });
  }
  return findings;
}
