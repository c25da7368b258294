/** Other Node.js releases, from the packages that carry their binaries. */
export const NODES = { 22: '22.23.5', 24: '24.22.3' };

const SDK_2 = {
  '@opentelemetry/context-async-hooks': '2.12.0',
  '@opentelemetry/exporter-trace-otlp-http': '0.223.0',
  '@opentelemetry/sdk-trace-base': '2.12.0',
};

/**
 * Apps that the packages are dropped into: an OpenTelemetry API and SDK line each. `script` runs in it, `types` tells
 * that `consumer.ts` is type-checked there.
 *
 * SDK 3 with API 1.9 is no app: its peer range is `>=1.10.0 <1.11.0`, npm refuses it.
 */
export const APPS = [
  {
    name: 'sdk2',
    sdk: '@opentelemetry/sdk-trace-base',
    leastNode: 20,
    types: true,
    script: 'app.mjs',
    dependencies: { '@opentelemetry/api': '1.9.1', ...SDK_2 },
  },
  {
    // The peer range of SDK 2 is `<1.10.0`. Who wants the newer API all the same overrides it for the whole app.
    name: 'sdk2-newer-api',
    sdk: '@opentelemetry/sdk-trace-base',
    leastNode: 20,
    types: true,
    script: 'app.mjs',
    dependencies: { '@opentelemetry/api': '1.10.0', ...SDK_2 },
    overrides: { '@opentelemetry/api': '1.10.0' },
  },
  {
    name: 'sdk3',
    sdk: '@opentelemetry/sdk-trace',
    leastNode: 22,
    types: true,
    script: 'app.mjs',
    dependencies: {
      '@opentelemetry/api': '1.10.0',
      '@opentelemetry/context-async-hooks': '3.1.1',
      '@opentelemetry/exporter-trace-otlp-http': '0.301.0',
      '@opentelemetry/sdk-trace': '3.1.1',
    },
  },
  {
    name: 'node-sdk2',
    sdk: '@opentelemetry/sdk-node',
    leastNode: 20,
    types: false,
    script: 'existing-sdk.mjs',
    dependencies: { '@opentelemetry/api': '1.9.1', '@opentelemetry/sdk-node': '0.223.0' },
  },
  {
    name: 'node-sdk3',
    sdk: '@opentelemetry/sdk-node',
    leastNode: 22,
    types: false,
    script: 'existing-sdk.mjs',
    dependencies: { '@opentelemetry/api': '1.10.0', '@opentelemetry/sdk-node': '0.301.0' },
  },
];

/**
 * The app of README.md: what `npm install hermes-observer-*.tgz …` makes there, with the SDK line that the command is
 * made with. Its third snippet finds `sdk-trace-base` because the command brings it.
 */
export const README_APP = {
  name: 'readme',
  sdk: 'as README.md says',
  dependencies: { '@opentelemetry/api': '1.9.1' },
};
