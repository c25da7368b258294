// Spans that a stranger made: markup, scripts, escapes, times that cannot be, sent by OTLP. None runs, none breaks a page.
import { HOSTILE } from '../../packages/viewer/dev/hostile.mjs';
import { pageFaults } from './page-faults.mjs';
import { eventually, Scene } from './scene.mjs';

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
const UNSEEN = /[\u0000-\u0008\u001b\u202e\u2066]/;

const hex = (value, digits) => value.toString(16).padStart(digits, '0');
const text = (key, value) => ({ key, value: { stringValue: value } });

function request(spans, service = HOSTILE[0]) {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [text('service.name', service)] },
        scopeSpans: [{ scope: { name: HOSTILE[2] }, spans }],
      },
    ],
  });
}

/** One trace: a root, and a span for each text, with the text wherever a text can be. */
function markupTrace() {
  const base = BigInt(Date.now() - 60_000) * 1_000_000n;
  const traceId = hex(0xbad0, 32);
  const messages = JSON.stringify([
    {
      role: HOSTILE[0],
      parts: [
        ...HOSTILE.map((content) => ({ type: 'text', content })),
        { type: 'tool_call', id: 'c1', name: HOSTILE[1], arguments: { [HOSTILE[0]]: HOSTILE } },
        { type: 'tool_call_response', id: 'c1', response: HOSTILE.join('\n') },
        { type: 'uri', uri: HOSTILE[3] },
      ],
    },
  ]);
  return ['root', ...HOSTILE].map((word, index) => ({
    traceId,
    spanId: hex(index + 1, 16),
    ...(index > 0 && { parentSpanId: hex(1, 16) }),
    name: word,
    startTimeUnixNano: String(base + BigInt(index)),
    endTimeUnixNano: String(base + 1_000_000_000n),
    attributes: [
      text('gen_ai.operation.name', index % 2 ? 'execute_tool' : 'chat'),
      text('gen_ai.tool.name', word),
      text('gen_ai.request.model', word),
      text('gen_ai.agent.name', word),
      text('hermes.tool.status', 'blocked'),
      text('hermes.tool.blocked_by', word),
      text('gen_ai.input.messages', messages),
      text(word, word),
    ],
    events: [{ name: word, timeUnixNano: String(base), attributes: [text(word, word)] }],
    status: { code: 2, message: word },
  }));
}

/** Times and parents that cannot be, each in a trace of its own; one of 2,000 spans in a chain. */
function brokenTraces() {
  const now = BigInt(Date.now()) * 1_000_000n;
  const one = (index, more) => ({
    traceId: hex(0xbad1_0000 + index, 32),
    spanId: hex(1, 16),
    name: `broken ${index}`,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 1_000_000n),
    ...more,
  });
  return [
    one(1, { endTimeUnixNano: '0' }),
    one(2, { endTimeUnixNano: undefined }),
    one(3, { endTimeUnixNano: String(now - 1_000_000n) }),
    one(4, { startTimeUnixNano: '0' }),
    one(5, { parentSpanId: hex(1, 16) }),
    one(6, { parentSpanId: hex(0xdead, 16) }),
    one(7, { startTimeUnixNano: '5000000000000000000', endTimeUnixNano: '5000000001000000000' }),
    { ...one(8), traceId: hex(0xbad1_0008, 32).toUpperCase(), spanId: 'ABCDEF0123456789' },
    one(9, { attributes: [text('gen_ai.input.messages', 'x'.repeat(5_000_000))] }),
    ...Array.from({ length: 2000 }, (_, step) =>
      one(10, { spanId: hex(step + 1, 16), ...(step > 0 && { parentSpanId: hex(step, 16) }) }),
    ),
  ];
}

const MANY = 99_000;
const BATCH = 11_000;
/** Until rows of it are visible, ms: far above what is needed, and far below what a walk per span would take. */
const MANY_MILLIS = 5000;

/** One span with a great many children is bounded on the page, and soon there. */
async function checkMany(browser, check) {
  const scene = await Scene.open();
  try {
    const now = BigInt(Date.now() - 10_000) * 1_000_000n;
    const traceId = hex(0xbad2, 32);
    for (let from = 0; from < MANY; from += BATCH) {
      const spans = Array.from({ length: BATCH }, (_, step) => ({
        traceId,
        spanId: hex(from + step + 1, 16),
        ...(from + step > 0 && { parentSpanId: hex(1, 16) }),
        name: 'child',
        startTimeUnixNano: String(now + BigInt(from + step)),
        endTimeUnixNano: String(now + 1_000_000_000n),
      }));
      const { status } = await scene.post('/v1/traces', request(spans, 'many'));
      if (status !== 200) check(`spans from ${from} are taken`, false, String(status));
    }
    const { page, faults, close } = await scene.look(browser);
    const began = performance.now();
    await page.goto(`${scene.url}/turn/${traceId}`);
    await page.waitForSelector('.span-row');
    const millis = Math.round(performance.now() - began);
    const rows = await page.evaluate(
      () => Number(document.querySelector('.span-grid').getAttribute('aria-rowcount')) - 1,
    );
    check(`${MANY} spans below one: all are rows`, rows === MANY, String(rows));
    check(`and visible within ${MANY_MILLIS} ms`, millis <= MANY_MILLIS, `${millis} ms`);
    const wrong = [...(await pageFaults(page)), ...faults];
    check('on a page as any other', wrong.length === 0, wrong.join('\n     '));
    await close();
  } finally {
    await scene.close();
  }
}

export async function checkHostile({ browser }, check) {
  await checkMany(browser, check);
  const scene = await Scene.open();
  try {
    const spans = markupTrace();
    const broken = brokenTraces();
    const [markup, others] = [
      await scene.post('/v1/traces', request(spans)),
      await scene.post('/v1/traces', request(broken, 'broken')),
    ];
    check(
      'hostile spans are taken',
      markup.status === 200 && others.status === 200,
      `${markup.status}, ${others.status}`,
    );
    const rows = await eventually('they are in the list', async () => {
      const all = await scene.rows();
      return all.length >= 11 && all;
    }).catch(() => scene.rows());
    check('each trace is in the list', (await rows).length === 11, String(rows.length));
    for (const look of [{ width: 1280 }, { width: 360, colorScheme: 'dark' }]) {
      const { page, faults, close } = await scene.look(browser, look);
      const wrong = [];
      const trace = spans[0].traceId;
      const visit = async (path, ready) => {
        await page.goto(scene.url + path);
        await page.waitForSelector(ready);
        await page.waitForTimeout(60);
        for (const fault of [...(await pageFaults(page)), ...faults.splice(0)]) wrong.push(`${path}: ${fault}`);
      };
      await visit('/', '.turn-line');
      const title = await page.title();
      await visit(`/turn/${trace}`, '.span-row');
      for (const { spanId } of spans.slice(1)) {
        await visit(`/turn/${trace}/${spanId}`, '.attributes');
        if (/ran/.test(await page.title())) wrong.push(`the title is ${await page.title()}`);
      }
      const shown = await page.textContent('.panel-body');
      const isHidden = UNSEEN.test(shown);
      check(`${look.width} px: what cannot be seen is made visible`, !isHidden);
      for (const row of rows.filter((one) => one.trace !== trace)) await visit(`/turn/${row.trace}`, '.span-row');
      check(
        `${look.width} px: markup is text, broken spans are rows`,
        wrong.length === 0,
        wrong.slice(0, 6).join('\n     '),
      );
      check(`${look.width} px: the title is ours`, !title.includes('ran'), title);
      await close();
    }
  } finally {
    await scene.close();
  }
}
