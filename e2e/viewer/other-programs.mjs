// Spans of other programs: through the real Collector, and from Python's SDK. The bytes that they send give the real Jaeger the
// same tree.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../cache-folder.mjs';
import { freePort, TOKEN } from '../kill/serve-command.mjs';
import { Jaeger } from './jaeger.mjs';
import { pageFaults } from './page-faults.mjs';
import { eventually, Scene } from './scene.mjs';
import { Tee } from './tee.mjs';

const hex = (value, digits) => value.toString(16).padStart(digits, '0');
const COUNT = 300;

export async function checkPrograms({ browser }, check) {
  const scene = await Scene.open();
  const program = programOf('jaeger');
  if (program === undefined) console.log(`skip Jaeger: ${NO_PROGRAM}`);
  const jaeger = program === undefined ? undefined : await Jaeger.start(program);
  try {
    await checkCollector(scene, jaeger, browser, check);
    await checkPython(scene, jaeger, browser, check);
  } finally {
    await jaeger?.stop();
    await scene.close();
  }
}

const NO_PROGRAM = 'none in the cache, and E2E_BIN_PREBUILT is not set';

/** A real program; undefined where it would have to be built, which takes many minutes: that is for the suites that are about it. */
function programOf(name) {
  const program = join(cacheFolder, name);
  if (!existsSync(program) && process.env.E2E_BIN_PREBUILT === undefined) return;
  const script = fileURLToPath(new URL(`../bin/get-${name}.sh`, import.meta.url));
  spawnSync('bash', [script, cacheFolder], { stdio: ['ignore', 'ignore', 'inherit'] });
  return existsSync(program) ? program : undefined;
}

async function checkCollector(scene, jaeger, browser, check) {
  const program = programOf('otelcol');
  if (program === undefined) {
    console.log(`skip the Collector: ${NO_PROGRAM}`);
    return;
  }
  const tee = await Tee.open(scene.url);
  const port = await freePort();
  const file = join(scene.folder, 'collector.yaml');
  writeFileSync(
    file,
    JSON.stringify({
      receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
      processors: { batch: { timeout: '50ms', send_batch_size: 64, send_batch_max_size: 64 } },
      exporters: { otlphttp: { endpoint: tee.url, headers: { authorization: `Bearer ${TOKEN}` } } },
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
    await checkShown(scene, browser, traceId, COUNT, check);
    await checkAgainstJaeger(scene, jaeger, tee, traceId, 'the Collector', check);
  } finally {
    process.off('exit', kill);
    child.kill('SIGKILL');
    await tee.close();
  }
}

/** All that the SDK can say of a span: kinds, types of attributes, events, links, an error, a parent elsewhere, threads. */
const PROGRAM = `
import threading
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Link, SpanKind, Status, StatusCode
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(), max_export_batch_size=16))
tracer = provider.get_tracer("python", "1.2.3")
with tracer.start_as_current_span("python root", kind=SpanKind.SERVER, attributes={
    "text": "grüße 😀", "int": 2**53 - 1, "float": 0.5, "bool": True, "list": ["a", "b"], "numbers": [1, 2]}) as root:
    context = trace.set_span_in_context(root)
    for index in range(20):
        with tracer.start_as_current_span(f"python {index}", links=[Link(root.get_span_context(), {"to": "root"})]) as span:
            span.add_event("said", {"index": index})
            with tracer.start_as_current_span("leaf", kind=SpanKind.CLIENT):
                pass
    try:
        with tracer.start_as_current_span("fails"):
            raise ValueError("no such thing")
    except ValueError:
        pass
    def work(number):
        with tracer.start_as_current_span(f"thread {number}", context=context):
            with tracer.start_as_current_span("in a thread"):
                pass
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    chat = tracer.start_span("chat small", attributes={"gen_ai.operation.name": "chat", "gen_ai.request.model": "small",
        "gen_ai.usage.input_tokens": 1200, "gen_ai.usage.output_tokens": 30})
    chat.set_status(Status(StatusCode.OK))
    chat.end()
provider.shutdown()
`;
const PYTHON_SPANS = 1 + 20 * 2 + 1 + 4 * 2 + 1;
const PACKAGES = ['opentelemetry-sdk>=1.30,<2', 'opentelemetry-exporter-otlp-proto-http>=1.30,<2'];

/** A Python with the SDK, in a folder of its own in the cache; a text that says why there is none. */
function pythonWithSdk() {
  const folder = join(cacheFolder, 'python-otlp');
  const python = join(folder, 'bin/python');
  const hasSdk = () =>
    spawnSync(python, ['-c', 'import opentelemetry.exporter.otlp.proto.http.trace_exporter, opentelemetry.sdk'])
      .status === 0;
  if (hasSdk()) return { python };
  const made = spawnSync(process.env.PYTHON ?? 'python3', ['-m', 'venv', '--clear', folder], { timeout: 60_000 });
  if (made.status !== 0) return { reason: 'python3 with its venv module is not on this machine' };
  const pip = spawnSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES], {
    encoding: 'utf8',
    timeout: 240_000,
  });
  if (hasSdk()) return { python };
  rmSync(folder, { recursive: true, force: true });
  return { reason: `pip cannot install opentelemetry-sdk: ${pip.stderr.trim().split('\n').at(-1)}` };
}

async function checkPython(scene, jaeger, browser, check) {
  const { python, reason } = pythonWithSdk();
  if (python === undefined) {
    console.log(`skip Python's SDK: ${reason}`);
    return;
  }
  const tee = await Tee.open(scene.url);
  try {
    // To the receiver itself, and with gzip through one who notes every byte.
    for (const [service, endpoint, compression] of [
      ['python-direct', scene.url, 'none'],
      ['python-gzip', tee.url, 'gzip'],
    ]) {
      const child = spawn(python, ['-c', PROGRAM], {
        stdio: ['ignore', 'inherit', 'pipe'],
        env: {
          PATH: process.env.PATH,
          OTEL_SERVICE_NAME: service,
          OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
          OTEL_EXPORTER_OTLP_COMPRESSION: compression,
          OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${TOKEN}`,
        },
      });
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
      const code = await new Promise((resolve) => child.once('close', resolve));
      check(`${service}: the program ends without complaint`, code === 0 && said === '', `${code} ${said.slice(-400)}`);
      const row = (await scene.rows()).find((one) => one.service === service);
      check(
        `${service}: its trace is whole`,
        row?.spans === PYTHON_SPANS && row.name === 'python root',
        `${row?.spans} spans`,
      );
      await checkWhole(scene, row.trace, check, service);
      if (service === 'python-gzip') await checkAgainstJaeger(scene, jaeger, tee, row.trace, service, check);
    }
    await checkShown(
      scene,
      browser,
      (await scene.rows()).find((one) => one.service === 'python-direct').trace,
      PYTHON_SPANS,
      check,
    );
  } finally {
    await tee.close();
  }
}

/** What the program said of its spans is there. */
async function checkWhole(scene, trace, check, service) {
  const { spans, texts } = await scene.api(`/api/turns/${trace}`);
  const named = (name) => spans.id[spans.name.findIndex((at) => texts[at] === name)];
  const span = (name) => scene.api(`/api/turns/${trace}/spans/${named(name)}`);
  const [root, one, failed, chat] = [
    await span('python root'),
    await span('python 7'),
    await span('fails'),
    await span('chat small'),
  ];
  const wrong = [];
  const same = (what, is, wanted) => {
    if (JSON.stringify(is) !== JSON.stringify(wanted)) wrong.push(`${what}: ${JSON.stringify(is)}`);
  };
  same('attributes', root.attributes, {
    text: 'grüße 😀',
    int: 2 ** 53 - 1,
    float: 0.5,
    bool: true,
    list: ['a', 'b'],
    numbers: [1, 2],
  });
  same(
    'event',
    one.events.map(({ name, attributes }) => [name, attributes]),
    [['said', { index: 7 }]],
  );
  same(
    'link',
    one.links.map(({ trace: to, span: of, attributes }) => [to, of, attributes]),
    [[trace, root.id, { to: 'root' }]],
  );
  same(
    'error',
    [failed.status, failed.events[0]?.attributes['exception.type']],
    [{ code: 2, message: 'ValueError: no such thing' }, 'ValueError'],
  );
  same('status', chat.status.code, 1);
  same('scope', root.scope, { name: 'python', version: '1.2.3' });
  same('resource', root.resource['telemetry.sdk.language'], 'python');
  check(
    `${service}: attributes, events, links, status, scope and resource are as they were said`,
    wrong.length === 0,
    wrong.join(', '),
  );
}

async function checkShown(scene, browser, trace, count, check) {
  const { page, faults, close } = await scene.look(browser);
  await page.goto(`${scene.url}/turn/${trace}`);
  await page.waitForSelector('.span-row');
  const rows = await page.evaluate(
    () => Number(document.querySelector('.span-grid').getAttribute('aria-rowcount')) - 1,
  );
  check('the page shows all of them', rows === count, String(rows));
  const wrong = [...(await pageFaults(page)), ...faults];
  check('as any other trace', wrong.length === 0, wrong.join('\n     '));
  await close();
}

/** The bytes that came for the viewer, given to Jaeger as they are: it must see the same tree. */
async function checkAgainstJaeger(scene, jaeger, tee, trace, what, check) {
  if (jaeger === undefined) return;
  for (const { headers, body } of tee.requests.splice(0)) await jaeger.send(body, headers);
  const ours = treeOfViewer(await scene.api(`/api/turns/${trace}`));
  const theirs = await eventually(
    'Jaeger has the trace',
    async () => {
      const tree = await jaeger.tree(trace);
      return tree.length >= ours.length && tree;
    },
    20_000,
  ).catch(() => jaeger.tree(trace));
  const difference = ours.findIndex((line, index) => line !== theirs[index]);
  const isSame = ours.length === theirs.length && difference === -1;
  check(
    `${what}: the same bytes give Jaeger the same ${ours.length} spans, parents, names and times`,
    isSame,
    isSame ? '' : `${theirs.length} there; here ${ours[difference]}, there ${theirs[difference]}`,
  );
}

/** Each span as a line: id, parent, name, start and duration in nanoseconds. */
function treeOfViewer({ base, spans, texts }) {
  return spans.id
    .map((id, index) => {
      const parent = spans.parent[index];
      const start = BigInt(base) + BigInt(spans.start[index]);
      return `${id} ${parent === -1 ? '-' : spans.id[parent]} ${texts[spans.name[index]]} ${start} ${spans.end[index] - spans.start[index]}`;
    })
    .sort();
}
