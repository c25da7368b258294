import { join } from 'node:path';
import { tokenIn } from '../check/service-status.js';
import type { Config } from '../config/load-config.js';
import { invocation } from './invocation.js';

/** Address of a service's page with the token, which the page changes for a cookie at once. */
export const openingAddress = (url: string, token: string) => `${url}/?token=${encodeURIComponent(token)}`;

/**
 * Where the viewer is, and what to paste so that another program's spans show there. The token itself is only shown on a
 * terminal: output that goes elsewhere is often kept.
 */
export function viewerLines(
  url: string,
  { values, origins }: Config,
  isTerminal: boolean = process.stdout.isTTY === true,
): string[] {
  const file = join(values.data as string, 'token');
  const token = values.token ?? tokenIn(file);
  const shown = values.token === undefined ? `$(head -n 1 ${quoted(file)})` : tokenVariable(origins.token);
  return [
    isTerminal ? `viewer     ${openingAddress(url, token)}` : `viewer     ${url}, which ${invocation()} view opens`,
    `  spans of other programs show there too, with:`,
    `  export OTEL_EXPORTER_OTLP_ENDPOINT=${url} OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`,
    `  export OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20${shown}"`,
  ];
}

const quoted = (path: string) => (/^[\w./:@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** Where the token comes from a variable, that is at hand to paste as well. */
const tokenVariable = (origin: string) => (/HERMES_OBSERVER_TOKEN/.test(origin) ? '$HERMES_OBSERVER_TOKEN' : '<token>');
