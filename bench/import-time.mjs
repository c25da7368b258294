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

const CONTESTANTS = {
  'API and OTLP exporter': `await import('@opentelemetry/api'); new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter()`,
  'ours, ready to send by OTLP': `(await import('@hermes-observer/otel')).createObserver()`,
  'API alone': `await import('@opentelemetry/api')`,
  'ours, import alone': `await import('@hermes-observer/otel')`,
};

/**
 * What a program waits for at its start, each in a fresh process: the OpenTelemetry packages that an observer loads, and
 * an observer that has loaded them. The import alone loads nothing of OpenTelemetry but the API.
 */
export function importTime({ rounds }) {
  const contestants = Object.entries(CONTESTANTS).map(([name, code]) => ({ name, run: () => timed(code) }));
  const times = interleave(contestants, { rounds });
  const bare = times.get('API and OTLP exporter').median;
  const api = times.get('API alone').median;
  return Object.keys(CONTESTANTS).map((name) => {
    const { median, min } = times.get(name);
    return { name, medianMs: median, minMs: min, ratio: median / (name.includes('alone') ? api : bare) };
  });
}
