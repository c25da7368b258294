// Ours: the hooks of the agent, as they are, to an observer.
import { createObserver, OtlpHttpExporter } from '@hermes-observer/otel';

function observed(options) {
  const observer = createObserver({ env: {}, ...options });
  const tell = ({ calls, times }) => {
    for (let i = 0; i < calls.length; i++) observer.hub.emit(calls[i][0], calls[i][1], { time: times[i].hr });
  };
  return { tell, flush: () => observer.flush(), close: () => observer.shutdown() };
}

export const OURS = [
  {
    name: 'ours',
    exporter: 'ours, JSON',
    setup: ({ url }) =>
      observed({ exporters: [new OtlpHttpExporter({ url: `${url}/v1/traces`, protocol: 'http/json' })] }),
  },
  {
    name: 'ours, without options',
    exporter: 'ours, protobuf',
    setup: ({ url }) => observed({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } }),
  },
];
