import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { interleave } from './interleave.mjs';

const top = fileURLToPath(new URL('..', import.meta.url));

/** Milliseconds that a fresh process takes for `code`. */
function timed(code) {
  const program = `const began = performance.now(); ${code}; process.stdout.write(String(performance.now() - began)); process.exit(0);`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: top,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}

const API = `await import('@opentelemetry/api')`;
const EXPORTER = `const exporter = new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter()`;
const SDK =
  `const { BasicTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-base'); ` +
  'new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })';

/** Of the first two, ours does all that the first does, and stands on no more than the second. */
const CONTESTANTS = {
  'API, SDK and OTLP exporter': `${API}; ${EXPORTER}; ${SDK}`,
  'API and OTLP exporter': `${API}; ${EXPORTER}`,
  'ours, ready to send by OTLP': `(await import('@hermes-observer/otel')).createObserver()`,
  'ours, import alone': `await import('@hermes-observer/otel')`,
  'API alone': API,
};

/**
 * What a program waits for at its start, each in a fresh process: what sends spans over OTLP without us, ours that is ready
 * to send them, and the import alone. Medians in milliseconds, and each beside the API and its OTLP exporter, and beside the
 * API alone, which ours stands on and does not load.
 */
export function importTime({ rounds }) {
  const contestants = Object.entries(CONTESTANTS).map(([name, code]) => ({ name, run: () => timed(code) }));
  const times = interleave(contestants, { rounds });
  const exporter = times.get('API and OTLP exporter').median;
  const api = times.get('API alone').median;
  return Object.keys(CONTESTANTS).map((name) => {
    const { median, min } = times.get(name);
    return { name, medianMs: median, minMs: min, besideExporter: median / exporter, besideApi: median / api };
  });
}
