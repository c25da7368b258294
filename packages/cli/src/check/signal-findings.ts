import type { Config } from '../config/load-config.js';
import { signalsOf } from '../config/service-options.js';
import type { Finding } from './finding.js';
import { probe } from './probe.js';

/** Do the receivers of metrics and of log records take them? Each gets a request without any. Never rejects. */
export function signalFindings({ values }: Config): Promise<Finding[]> {
  const { metrics, logs } = signalsOf(values);
  const probes: Promise<Finding>[] = [];
  if (metrics?.target !== undefined) {
    const { url, headers = {} } = metrics.target;
    probes.push(
      probe({
        id: 'metrics',
        name: 'metrics',
        url,
        headers,
        what: 'metrics',
        protocol: 'http/protobuf',
        body: new Uint8Array(),
        keys: 'metrics.headers in the configuration',
      }),
    );
  }
  if (logs !== undefined) {
    const { url, headers = {} } = logs;
    probes.push(
      probe({
        id: 'logs',
        name: 'logs',
        url,
        headers,
        what: 'log records',
        protocol: 'http/json',
        body: Buffer.from('{"resourceLogs":[]}'),
        keys: 'logs.headers in the configuration',
      }),
    );
  }
  return Promise.all(probes);
}
