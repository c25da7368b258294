/** Other Node.js releases, from the packages that carry their binaries. */
export const NODES = { 22: '22.23.5', 24: '24.22.3' };

/** Apps that the packages are dropped into: an OpenTelemetry API and SDK line each. */
export const APPS = [
  {
    name: 'sdk2',
    sdk: '@opentelemetry/sdk-trace-base',
    leastNode: 20,
    dependencies: {
      '@opentelemetry/api': '1.9.1',
      '@opentelemetry/context-async-hooks': '2.12.0',
      '@opentelemetry/exporter-trace-otlp-http': '0.223.0',
      '@opentelemetry/otlp-transformer': '0.223.0',
      '@opentelemetry/sdk-trace-base': '2.12.0',
    },
  },
  {
    name: 'sdk3',
    sdk: '@opentelemetry/sdk-trace',
    leastNode: 22,
    dependencies: {
      '@opentelemetry/api': '1.10.0',
      '@opentelemetry/context-async-hooks': '3.1.1',
      '@opentelemetry/exporter-trace-otlp-http': '0.301.0',
      '@opentelemetry/otlp-transformer': '0.301.0',
      '@opentelemetry/sdk-trace': '3.1.1',
    },
  },
];
