import { fieldsOf } from '../answer/fields.js';

/** Where `@opentelemetry/api` keeps what was registered globally; there is no need to load it. */
const API = Symbol.for('opentelemetry.js.api.1');

/** Who else makes spans of this client's requests, if somebody does. */
export function ownSpansOf(client: object): string | undefined {
  const { traces, tracerProvider } = fieldsOf((client as { openTelemetry?: unknown }).openTelemetry);
  const isGlobal = fieldsOf((globalThis as { [API]?: unknown })[API]).trace !== undefined;
  if (fieldsOf(traces).enabled === true && (tracerProvider !== undefined || isGlobal))
    return 'the client makes spans of the same requests (switched off by `openTelemetry: { traces: false }`)';
  const { chat, messages } = client as { chat?: { completions?: object }; messages?: object };
  const resource = chat?.completions ?? messages;
  // Other instrumentation marks the methods that it puts in the place of the client's own.
  const { create } = fieldsOf(resource) as { create?: { __wrapped?: unknown } };
  return create?.__wrapped === true ? 'another instrumentation makes spans of the same requests' : undefined;
}
