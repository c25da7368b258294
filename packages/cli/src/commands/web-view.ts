import { randomBytes } from 'node:crypto';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { InputReport } from '../input/input-report.js';
import { HttpListener } from '../listeners/http/http-listener.js';
import { RequestError } from '../listeners/http/request-error.js';
import { ListenerContext, type ListenerPorts } from '../listeners/listener-context.js';
import { SpanOutput } from '../output/span-output.js';
import { spansOfJson } from '../receiver/otlp-json.js';
import { TraceStore } from '../traces/trace-store.js';
import { printLines } from '../view/terminal.js';
import { readViewInput } from '../view/view-input.js';
import { Api } from '../viewer/api.js';
import { pageFiles } from '../viewer/viewer.js';
import { ViewerRoutes } from '../viewer/viewer-routes.js';
import { type Console, EXIT_INCOMPLETE, EXIT_OK } from './console.js';
import { openBrowser } from './open-browser.js';
import { VERSION } from './own-version.js';
import { ended } from './until-ended.js';
import type { ViewOptions } from './view.js';
import { openingAddress } from './viewer-lines.js';

/** Who names files means all of them. */
const LIMITS = { spans: 1_000_000, bytes: 2 ** 30 };
const MIB = 2 ** 20;
const SMALL = { lineBytes: MIB, bodyBytes: MIB, unacknowledgedBytes: MIB, waitingBytes: 4 * MIB, connections: 64 };

/** A page that is served until it is ended. */
export interface OpenPage {
  /** With the token. */
  readonly address: string;
  readonly store: TraceStore;
  close(): void;
}

/**
 * `view --web FILE…`: recordings, journals and OTLP/JSON files in the browser, from a server of this process on a free port of
 * loopback, which takes nothing. Ends with Ctrl-C, and with q where `keys` is a terminal. Returns the exit code.
 */
export async function webView(
  paths: readonly string[],
  options: ViewOptions,
  console: Console,
  out: NodeJS.WriteStream = process.stdout,
  open: (url: string) => Promise<boolean> = openBrowser,
  keys?: NodeJS.ReadStream,
): Promise<number> {
  const report = new InputReport();
  const store = await storeOf(paths, options, report);
  for (const line of report.lines()) console.error(line);
  if (store.traces === 0) {
    console.note('there are no spans to show');
    return EXIT_INCOMPLETE;
  }
  if (store.counts.leftOutSpans + store.counts.evictedSpans > 0) {
    console.error(`${store.counts.leftOutSpans + store.counts.evictedSpans} spans had no room and are not shown`);
  }
  const page = await openPage(store);
  const isOpen = await open(page.address);
  await printLines(
    [`${isOpen ? 'Opened' : 'Open'} ${page.address}`, `${keys?.isTTY ? 'q or ' : ''}Ctrl-C ends it.`],
    out,
  );
  await ended(keys?.isTTY ? keys : undefined);
  page.close();
  return report.isClean ? EXIT_OK : EXIT_INCOMPLETE;
}

/** The spans of all inputs. */
export async function storeOf(
  paths: readonly string[],
  { capture = 'redacted', agentName, cost, prices }: ViewOptions,
  report: InputReport,
): Promise<TraceStore> {
  const store = new TraceStore(LIMITS);
  const takeRequest = (request: unknown) => {
    for (const span of spansOfJson(request)) if (span !== undefined) store.add(span, 'received');
  };
  const { records } = await readViewInput(paths, report, takeRequest);
  const output = await SpanOutput.create({
    capture,
    ...(agentName !== undefined && { agentName }),
    ...(cost !== undefined && { cost }),
    ...(prices !== undefined && { prices }),
    exporters: [exporterTo(store)],
  });
  for (const record of records) {
    output.bridge.handleRecord(record);
    const wait = output.ready();
    if (wait !== undefined) await wait;
  }
  await output.close();
  return store;
}

/** Shows a store on a free port of loopback. @throws ObserverError `HO_LISTEN_FAILED`. */
export async function openPage(store: TraceStore): Promise<OpenPage> {
  const token = randomBytes(32).toString('base64url');
  const health = () => ({ version: VERSION, files: true, store: { traces: store.traces, spans: store.spans } });
  const api = new Api({ store, health, isReadOnly: true });
  const further = new ViewerRoutes({ store, api, files: pageFiles({ jaegerUrl: null, files: true }) });
  const context = new ListenerContext(NOTHING_TAKEN, SMALL, VERSION);
  const listener = await HttpListener.open(
    { host: '127.0.0.1', port: 0, token, allowedHosts: [], webhooks: undefined, further },
    context,
  );
  return {
    address: openingAddress(listener.url, token),
    store,
    close() {
      listener.stop();
      listener.closeConnections();
    },
  };
}

function exporterTo(store: TraceStore): SpanExporter {
  return {
    export(spans, done) {
      for (const span of spans) {
        const { traceId, spanId } = span.spanContext();
        const parentId = span.parentSpanContext?.spanId ?? '';
        store.add({ traceId, spanId, parentId, end: span.endTime, source: span }, 'history');
      }
      done({ code: 0 });
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  };
}

const refuse = () => {
  throw new RequestError(403, 'HO_REQUEST_FORBIDDEN', 'files are shown here, and nothing is taken');
};

/** In place of a service. */
const NOTHING_TAKEN: ListenerPorts = {
  intake: { take: async () => refuse(), isPaused: false, hurry: () => {}, onPause: () => () => {} },
  ask: { ask: async () => refuse() },
  status: { isReady: true, counts: () => [], producers: () => [], exporters: () => [] },
  presence: { present: () => () => {} },
  refusals: { refused: () => {} },
};
