// An OTLP receiver, and programs that send to it.
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
}

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
}

/** What a program did. */
export interface Ran {
  /** Exit code, or the signal it ended by. */
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** @default this one */
  readonly node?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export class SpanServer {
  /** In the order they came in. */
  readonly spans: ReceivedSpan[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<SpanServer> {
    const server = createServer(async (request, response) => {
      if (request.method !== 'POST') {
        response.end('Sunny.');
        return;
      }
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { resourceSpans } = JSON.parse(Buffer.concat(parts).toString());
      for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) one.spans.push(...scope.spans);
      response.setHeader('content-type', 'application/json').end('{}');
    });
    const one = new SpanServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return one;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Runs Node.js with its spans sent to here. Those of earlier runs are forgotten. */
  run(args: readonly string[], { node = process.execPath, cwd, env }: RunOptions = {}): Promise<Ran> {
    this.spans.length = 0;
    const inherited = Object.entries(process.env).filter(([name]) => !/^(OTEL_|HERMES_|NODE_)/.test(name));
    const all = {
      ...Object.fromEntries(inherited),
      OTEL_EXPORTER_OTLP_ENDPOINT: this.address,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'none',
      ...env,
    };
    return new Promise((resolve) => {
      execFile(node, [...args], { cwd, env: all, timeout: 50_000 }, (error, stdout, stderr) => {
        resolve({
          code: error === null ? 0 : (error.code ?? error.signal ?? 'unknown'),
          stdout: stdout.trim(),
          stderr: stderr.trim(),
        });
      });
    });
  }

  /** Lines of names below each other, siblings by their starts; outcomes of turns, calls and approvals behind them. */
  tree(parent?: string, depth = 0): string[] {
    const ids = new Set(this.spans.map(({ spanId }) => spanId));
    const told = ({ attributes }: ReceivedSpan) =>
      attributes.find(({ key }) => /^hermes\.(turn\.outcome|subagent\.status|tool\.status|approval\.choice)$/.test(key))
        ?.value.stringValue;
    return this.spans
      .filter(({ parentSpanId }) => (parentSpanId && ids.has(parentSpanId) ? parentSpanId : undefined) === parent)
      .sort((a, b) => (BigInt(a.startTimeUnixNano) < BigInt(b.startTimeUnixNano) ? -1 : 1))
      .flatMap((span) => [
        `${'  '.repeat(depth)}${span.name}${told(span) === undefined ? '' : `: ${told(span)}`}`,
        ...this.tree(span.spanId, depth + 1),
      ]);
  }
}
