// Spans of other programs: through the real Collector, and from Python's SDK where that can be had.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../cache-folder.mjs';
import { freePort, TOKEN } from '../kill/serve-command.mjs';
import { pageFaults } from './page-faults.mjs';
import { eventually, Scene } from './scene.mjs';

const hex = (value, digits) => value.toString(16).padStart(digits, '0');
const COUNT = 300;

export async function checkPrograms({ browser }, check) {
  const scene = await Scene.open();
  try {
    await checkCollector(scene, browser, check);
    await checkPython(scene, check);
  } finally {
    await scene.close();
  }
}

function hasCollector() {
  const program = join(cacheFolder, 'otelcol');
  // Building one takes many minutes: that is for the suites that are about it.
  if (!existsSync(program) && process.env.E2E_BIN_PREBUILT === undefined) return;
  const script = fileURLToPath(new URL('../bin/get-otelcol.sh', import.meta.url));
  spawnSync('bash', [script, cacheFolder], { stdio: ['ignore', 'ignore', 'inherit'] });
  return existsSync(program) ? program : undefined;
}

async function checkCollector(scene, browser, check) {
  const program = hasCollector();
  if (program === undefined) {
    console.log('SKIP the Collector: none in the cache, and E2E_BIN_PREBUILT is not set');
    return;
  }
  const port = await freePort();
  const file = join(scene.folder, 'collector.yaml');
  writeFileSync(
    file,
    JSON.stringify({
      receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
      processors: { batch: { timeout: '50ms', send_batch_size: 64, send_batch_max_size: 64 } },
      exporters: { otlphttp: { endpoint: scene.url, headers: { authorization: `Bearer ${TOKEN}` } } },
      service: {
        telemetry: { metrics: { level: 'none' } },
        pipelines: { traces: { receivers: ['otlp'], processors: ['batch'], exporters: ['otlphttp'] } },
      },
    }),
  );
  const child = spawn(program, ['--config', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text;
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    const base = BigInt(Date.now() - 5000) * 1_000_000n;
    const traceId = hex(0xc011ec7, 32);
    const spans = Array.from({ length: COUNT }, (_, index) => ({
      traceId,
      spanId: hex(index + 1, 16),
      // A tree of ten a branch.
      ...(index > 0 && { parentSpanId: hex(Math.floor((index - 1) / 10) + 1, 16) }),
      name: `step ${index}`,
      kind: 1,
      startTimeUnixNano: String(base + BigInt(index) * 1_000_000n),
      endTimeUnixNano: String(base + 1_000_000_000n + BigInt(index)),
    }));
    const body = JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'a-program' } }] },
          scopeSpans: [{ spans }],
        },
      ],
    });
    await eventually(
      `the Collector takes spans: ${log.slice(-300)}`,
      () =>
        fetch(`http://127.0.0.1:${port}/v1/traces`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        }).then(
          ({ ok }) => ok,
          () => false,
        ),
      20_000,
    );
    const turn = await eventually('the trace is whole', async () => {
      const row = (await scene.rows()).find(({ trace }) => trace === traceId);
      return row?.spans === COUNT && scene.api(`/api/turns/${traceId}`);
    }).catch((error) => {
      throw new Error(`${error.message}: ${log.slice(-800)}`);
    });
    const isWhole = spans.every(({ spanId, parentSpanId }) => {
      const index = turn.spans.id.indexOf(spanId);
      return index >= 0 && turn.spans.id[turn.spans.parent[index]] === parentSpanId;
    });
    check(`the Collector's ${COUNT} spans are one trace, each below its parent`, isWhole);
    const { page, faults, close } = await scene.look(browser);
    await page.goto(`${scene.url}/turn/${traceId}`);
    await page.waitForSelector('.span-row');
    const rows = await page.evaluate(
      () => Number(document.querySelector('.span-grid').getAttribute('aria-rowcount')) - 1,
    );
    check('the page shows all of them', rows === COUNT, String(rows));
    const wrong = [...(await pageFaults(page)), ...faults];
    check('as any other trace', wrong.length === 0, wrong.join('\n     '));
    await close();
  } finally {
    process.off('exit', kill);
    child.kill('SIGKILL');
  }
}

const PROGRAM = `
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("python")
with tracer.start_as_current_span("python root"):
    for index in range(20):
        with tracer.start_as_current_span(f"python {index}"):
            with tracer.start_as_current_span("leaf"):
                pass
provider.shutdown()
`;

/** A Python with the SDK, from what is on this machine alone; undefined when that is not enough. */
function pythonWithSdk() {
  const folder = join(cacheFolder, 'python-otlp');
  const python = join(folder, 'bin/python');
  const hasSdk = (command) =>
    spawnSync(command, ['-c', 'import opentelemetry.exporter.otlp.proto.http.trace_exporter, opentelemetry.sdk'])
      .status === 0;
  for (const command of [python, 'python3']) if (hasSdk(command)) return command;
  if (spawnSync('python3', ['-m', 'venv', folder], { timeout: 60_000 }).status !== 0) return;
  spawnSync(
    python,
    ['-m', 'pip', 'install', '-q', '--no-index', 'opentelemetry-sdk', 'opentelemetry-exporter-otlp-proto-http'],
    {
      timeout: 60_000,
    },
  );
  if (hasSdk(python)) return python;
  rmSync(folder, { recursive: true, force: true });
  return;
}

async function checkPython(scene, check) {
  const python = pythonWithSdk();
  if (python === undefined) {
    console.log(
      'SKIP Python: opentelemetry-sdk and its OTLP exporter are not on this machine, and nothing is downloaded',
    );
    return;
  }
  const child = spawn(python, ['-c', PROGRAM], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      PATH: process.env.PATH,
      OTEL_SERVICE_NAME: 'a-python-program',
      OTEL_EXPORTER_OTLP_ENDPOINT: scene.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${TOKEN}`,
    },
  });
  await new Promise((resolve) => child.once('exit', resolve));
  const row = await eventually('the trace of Python is there', async () =>
    (await scene.rows()).find(({ service }) => service === 'a-python-program'),
  );
  const { spans, texts } = await scene.api(`/api/turns/${row.trace}`);
  const nameOf = (index) => texts[spans.name[index]];
  const isWhole =
    row.spans === 41 &&
    spans.id.every((_, index) => {
      const parent = spans.parent[index];
      if (nameOf(index) === 'python root') return parent === -1;
      return nameOf(index) === 'leaf' ? /^python \d+$/.test(nameOf(parent)) : nameOf(parent) === 'python root';
    });
  check("the spans of Python's SDK are one trace, each below its parent", isWhole, `${row.spans} spans`);
}
