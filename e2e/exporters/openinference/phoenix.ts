import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../jaeger/free-ports.js';
import { Server } from '../../jaeger/server.js';
import { waitFor } from '../../jaeger/wait-for.js';

/** A span as Phoenix gives it. */
export interface PhoenixSpan {
  readonly name: string;
  readonly context: { readonly trace_id: string; readonly span_id: string };
  readonly span_kind: string;
  readonly parent_id: string | null;
  readonly start_time: string;
  readonly end_time: string;
  readonly status_code: string;
  readonly status_message: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface PhoenixSession {
  readonly session_id: string;
  readonly traces: readonly { readonly trace_id: string }[];
}

interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

/** The real server, with a data base of its own in a temporary folder. */
export class Phoenix {
  readonly url: string;
  readonly #server: Server;
  readonly #folder: string;

  private constructor(url: string, server: Server, folder: string) {
    this.url = url;
    this.#server = server;
    this.#folder = folder;
  }

  static async start(python: string): Promise<Phoenix> {
    const ports = await freePorts(['http', 'grpc']);
    const folder = mkdtempSync(join(tmpdir(), 'phoenix-'));
    const url = `http://127.0.0.1:${ports.http}`;
    const server = await Server.start({
      name: 'phoenix',
      command: python,
      args: ['-m', 'phoenix.server.main', 'serve'],
      env: {
        PHOENIX_WORKING_DIR: folder,
        PHOENIX_HOST: '127.0.0.1',
        PHOENIX_PORT: ports.http,
        PHOENIX_GRPC_PORT: ports.grpc,
        PHOENIX_TELEMETRY_ENABLED: 'false',
      },
      readyUrl: `${url}/healthz`,
      millis: 120_000,
    });
    return new Phoenix(url, server, folder);
  }

  /** All spans of a project, once there are as many as `count`. */
  spans(project: string, count: number): Promise<readonly PhoenixSpan[]> {
    return waitFor(
      `Phoenix has not got ${count} spans of ${project}`,
      async () => {
        const spans = await this.#all<PhoenixSpan>(`/v1/projects/${project}/spans`);
        return spans.length >= count ? spans : undefined;
      },
      60_000,
    );
  }

  sessions(project: string): Promise<readonly PhoenixSession[]> {
    return this.#all<PhoenixSession>(`/v1/projects/${project}/sessions`);
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #all<T>(path: string): Promise<readonly T[]> {
    const all: T[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const url = new URL(this.url + path);
      url.searchParams.set('limit', '1000');
      if (cursor !== '') url.searchParams.set('cursor', cursor);
      const response = await fetch(url);
      if (!response.ok) throw new Error(`${url.pathname}: ${response.status} ${await response.text()}`);
      const page = (await response.json()) as Page<T>;
      all.push(...page.data);
      cursor = page.next_cursor;
    }
    return all;
  }
}
