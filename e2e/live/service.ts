import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../jaeger/free-ports.js';
import { samplesOf, sum } from '../jaeger/prometheus-text.js';
import { Server } from '../jaeger/server.js';
import { TOP } from '../run-command.js';

const COMMAND = join(TOP, 'packages/cli/bin/hermes-observer.js');
const TOKEN = 'token-of-the-live-tests';

/** `hermes-observer serve`, with socket and data in a folder that agents share. */
export class LiveService {
  readonly #server: Server;
  readonly #base: string;

  private constructor(server: Server, base: string) {
    this.#server = server;
    this.#base = base;
  }

  static async start(shared: string, endpoint: string): Promise<LiveService> {
    mkdirSync(join(shared, 'run'), { recursive: true, mode: 0o700 });
    const { HTTP } = await freePorts(['HTTP']);
    const base = `http://127.0.0.1:${HTTP}`;
    const server = await Server.start({
      name: 'serve',
      command: process.execPath,
      args: [COMMAND, 'serve'],
      env: {
        HERMES_OBSERVER_DATA: join(shared, 'data'),
        HERMES_OBSERVER_SOCKET: join(shared, 'run/observer.sock'),
        HERMES_OBSERVER_HTTP_PORT: HTTP,
        HERMES_OBSERVER_TOKEN: TOKEN,
        // An agent that was killed is found gone soon.
        HERMES_OBSERVER_PRODUCER_GRACE: '1s',
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      },
      readyUrl: `${base}/healthz`,
    });
    return new LiveService(server, base);
  }

  get log(): string {
    return this.#server.log;
  }

  /** A count of the service's own, summed over its labels. */
  async count(name: string): Promise<number> {
    return sum(samplesOf(await this.#read('/metrics')), name);
  }

  /** The producers that it knows. */
  async producers(): Promise<readonly { readonly producer: string; readonly missing: number }[]> {
    return JSON.parse(await this.#read('/v1/status')).producers;
  }

  async #read(path: string): Promise<string> {
    const response = await fetch(`${this.#base}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.text();
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}
