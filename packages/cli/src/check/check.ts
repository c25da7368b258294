import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { placeProblems } from '../config/check-places.js';
import type { Config } from '../config/load-config.js';
import { hermesHome } from '../install/hermes.js';
import { dropFindings } from './drop-findings.js';
import { endpointFindings } from './endpoint-findings.js';
import type { Finding } from './finding.js';
import { pluginFindings } from './plugin-findings.js';
import { policyFindings } from './policy-findings.js';
import { installedDistribution } from './python-distributions.js';
import { nameOf, producersOf, receivedSpans, recordFindings, type SeenProducer } from './record-findings.js';
import { type Answer, type ServiceStatus, statusOverHttp, statusOverSocket, tokenIn } from './service-status.js';
import { signalFindings } from './signal-findings.js';
import { agentFinding, versionFindings } from './version-findings.js';

export interface CheckOptions {
  readonly config: Config;
  /** Version of this program. */
  readonly version: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Unix milliseconds. */
  readonly now?: number;
}

/** Looks at every part on the way from an agent to a backend. Never rejects. */
export async function check({
  config,
  version,
  env = process.env,
  now = Date.now(),
}: CheckOptions): Promise<Finding[]> {
  const { findings, plugin } = pluginFindings(env);
  const overSocket = await statusOverSocket(config.values.socket as string);
  const status = 'status' in overSocket ? overSocket.status : undefined;
  const producers = status === undefined ? [] : producersOf(status).filter(isAgent);
  const agent = versionOfAgent(producers) ?? installedDistribution(hermesHome(env), 'hermes_agent', env);
  return [
    ...findings,
    agentFinding(agent),
    ...settingsFindings(config),
    ...(await serviceFindings(config, overSocket, env, plugin?.settings.url)),
    ...versionFindings({
      plugin: plugin?.version,
      own: version,
      service: typeof status?.version === 'string' ? status.version : undefined,
      serviceProtocol: typeof status?.protocol === 'number' ? status.protocol : undefined,
      forwarders: producers.map((producer) => ({
        name: nameOf(producer),
        protocol: producer.hello.protocol,
        version: producer.hello.forwarder_version,
      })),
    }),
    ...(status === undefined
      ? []
      : [...recordFindings(producers, now, receivedSpans(status)), ...dropFindings(status)]),
    ...(await policyFindings(config, status, producers)),
    ...(await endpointFindings(config, status)),
    ...(await signalFindings(config)),
  ];
}

/** Reports of the service's own policy are no sign of an agent. */
const isAgent = ({ producer }: SeenProducer) => !/^policy-[0-9a-f]{16}$/.test(producer);

/** A service would not start with these. */
function settingsFindings(config: Config): Finding[] {
  return placeProblems(config).map(({ message }) => settingsFinding(message));
}

/** Of settings that cannot be used. */
export function settingsFinding(text: string): Finding {
  const mend = 'change it where the message says; a service does not start with it';
  return { id: 'settings', level: 'fault', text, mend };
}

/** Of the agent that was heard of last. */
function versionOfAgent(producers: readonly SeenProducer[]): string | undefined {
  const known = producers.filter(({ hello }) => typeof hello.hermes_version === 'string');
  const last = known.sort((a, b) => b.lastSeen - a.lastSeen)[0];
  return last?.hello.hermes_version as string | undefined;
}

/** Is the service there, and where agents and this configuration look for it? */
async function serviceFindings(
  { values }: Config,
  overSocket: Answer,
  env: NodeJS.ProcessEnv,
  pluginUrl: unknown,
): Promise<Finding[]> {
  const id = 'service';
  const findings: Finding[] = [];
  if ('problem' in overSocket) {
    const text = `no service answers on ${values.socket}: ${overSocket.problem}`;
    const mend = 'start it: hermes-observer serve (docs/serve.md has a unit for systemd); records wait with the agent';
    findings.push({ id, level: 'fault', text, mend }, ...waitingFindings(join(values.data as string, 'forwarder')));
  } else {
    findings.push(...runningFindings(overSocket.status, values.socket as string));
  }
  const token = values.token ?? tokenIn(join(values.data as string, 'token'));
  const own = `http://${values['http.host'].replace(/^0\.0\.0\.0$/, '127.0.0.1')}:${values['http.port']}`;
  if ('status' in overSocket && values['http.enabled'] && values['http.port'] !== 0) {
    const answer = await statusOverHttp(own, token);
    if ('problem' in answer) {
      const there =
        typeof overSocket.status.http === 'string'
          ? `the service listens on ${overSocket.status.http}`
          : 'it does not listen on HTTP';
      const text = `${own}, the configured address, does not lead to the service: ${answer.problem}; ${there}`;
      const mend = 'set http.port to that of the service, or restart the service with this configuration';
      findings.push({ id: 'http', level: 'warning', text, mend });
    }
  }
  const url = env.HERMES_OBSERVER_URL || pluginUrl;
  if (typeof url === 'string' && url !== '') findings.push(await urlFinding(url, token, 'status' in overSocket));
  return findings;
}

/** What agents left on disk for a service. */
function waitingFindings(folder: string): Finding[] {
  const files = namesIn(folder).filter((name) => /\.ndjson(\.open)?$/.test(name)).length;
  if (files === 0) return [];
  const text = `${files === 1 ? '1 file of records waits' : `${files} files of records wait`} in ${folder} for the next start`;
  return [{ id: 'waiting', level: 'note', text }];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function runningFindings(status: ServiceStatus, socket: string): Finding[] {
  const running: Finding = {
    id: 'service',
    level: 'ok',
    text: `the service ${String(status.version)} runs on ${socket}`,
  };
  if (status.is_paused !== true) return [running];
  const text = 'the service takes no records right now: its disk is full, or its journal is over its limit';
  return [
    running,
    {
      id: 'service',
      level: 'fault',
      text,
      mend: 'make room on its disk, or raise journal.max_bytes; until then agents keep records on theirs',
    },
  ];
}

/** The address that forwarders are given for where the socket does not reach. */
async function urlFinding(url: string, token: string, hasSocket: boolean): Promise<Finding> {
  const answer = URL.canParse(url) ? await statusOverHttp(url, token) : { problem: 'it is no address' };
  const id = 'url';
  if ('status' in answer) return { id, level: 'ok', text: `HERMES_OBSERVER_URL ${url} reaches the service` };
  const text = `HERMES_OBSERVER_URL ${url} does not reach a service: ${answer.problem}`;
  return {
    id,
    level: hasSocket ? 'warning' : 'fault',
    text,
    mend: 'set it to the address that serve prints, or take it away: agents on this machine use the socket',
  };
}
