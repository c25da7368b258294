// Filters in the address, through real HTTP and on the real page; and spans whose times and ids are odd.
import { pageFaults } from './page-faults.mjs';
import { eventually, pause, Scene } from './scene.mjs';

const hex = (value, digits) => value.toString(16).padStart(digits, '0');
const text = (key, value) => ({ key, value: { stringValue: value } });
const MINUTE = 60_000;
const nanos = (millis) => String(BigInt(Math.round(millis)) * 1_000_000n);

const request = (spans) =>
  JSON.stringify({
    resourceSpans: [{ resource: { attributes: [text('service.name', 'filters')] }, scopeSpans: [{ spans }] }],
  });

/** Turns that differ in all that is filtered by; `ago` in minutes. */
const TURNS = [
  { agent: 'ada', model: 'small', tool: 'terminal', outcome: 'completed', ago: 2, word: 'needle' },
  { agent: 'ada', model: 'large', tool: 'web_search', outcome: 'failed', ago: 30, word: 'hay' },
  { agent: 'bob', model: 'small', tool: 'terminal', outcome: 'interrupted', ago: 90, word: 'hay' },
  { agent: 'bob', model: 'large', tool: 'read_file', outcome: 'completed', ago: 60 * 30, word: 'Needle' },
  {
    agent: 'eve',
    model: 'small',
    tool: 'web_search',
    outcome: 'completed',
    ago: 60 * 24 * 9,
    word: 'hay',
    blocked: true,
  },
  { agent: 'eve', model: 'other', tool: 'write_file', outcome: 'completed', ago: 1, word: 'hay', error: true },
];

function spansOf({ agent, model, tool, outcome, ago, word, blocked, error }, index) {
  const start = Date.now() - ago * MINUTE;
  const one = (id, parent, name, attributes, more = {}) => ({
    traceId: hex(0xf117_0000 + index, 32),
    spanId: hex(id, 16),
    ...(parent && { parentSpanId: hex(parent, 16) }),
    name,
    startTimeUnixNano: nanos(start + id),
    endTimeUnixNano: nanos(start + 500 - id),
    attributes,
    ...more,
  });
  return [
    one(1, 0, `invoke_agent ${agent}`, [
      text('gen_ai.operation.name', 'invoke_agent'),
      text('gen_ai.agent.name', agent),
      text('hermes.turn.id', `turn-${index}`),
      text('hermes.turn.outcome', outcome),
    ]),
    one(2, 1, `chat ${model}`, [text('gen_ai.operation.name', 'chat'), text('gen_ai.request.model', model)]),
    one(
      3,
      1,
      `execute_tool ${tool}`,
      [
        text('gen_ai.operation.name', 'execute_tool'),
        text('gen_ai.tool.name', tool),
        text('gen_ai.tool.call.result', `found a ${word}`),
        ...(blocked ? [text('hermes.tool.status', 'blocked'), text('hermes.tool.blocked_by', 'plugin_block')] : []),
      ],
      error ? { status: { code: 2, message: 'no' } } : {},
    ),
  ];
}

const within = (minutes) => (turn) => turn.ago <= minutes;

/** A query of the page's address, and which turns pass. */
const QUERIES = [
  ['agent=ada', ({ agent }) => agent === 'ada'],
  ['model=small', ({ model }) => model === 'small'],
  ['tool=terminal', ({ tool }) => tool === 'terminal'],
  ['outcome=completed', ({ outcome, error }) => outcome === 'completed' || error],
  ['outcome=failed', ({ outcome }) => outcome === 'failed'],
  ['outcome=interrupted', ({ outcome }) => outcome === 'interrupted'],
  ['outcome=blocked', ({ blocked }) => blocked],
  ['outcome=errors', ({ error }) => error],
  ['text=NEEDLE', ({ word }) => word.toLowerCase() === 'needle'],
  ['text=web_search', ({ tool }) => tool === 'web_search'],
  ['since=15m', within(15)],
  ['since=1h', within(60)],
  ['since=24h', within(1440)],
  ['since=7d', within(7 * 1440)],
  ['agent=bob&model=large&tool=read_file&text=needle&since=7d', ({ ago }) => ago === 60 * 30],
  ['agent=ada&outcome=interrupted', () => false],
];

export async function checkFilters({ browser }, check) {
  const scene = await Scene.open();
  try {
    await scene.post('/v1/traces', request(TURNS.flatMap(spansOf)));
    await eventually('all are in the list', async () => (await scene.rows()).length === TURNS.length);
    const { page, faults, close } = await scene.look(browser);
    const shown = () =>
      page.evaluate(() => [...document.querySelectorAll('.turn-title')].map((one) => one.getAttribute('href')).sort());
    const wrong = [];
    for (const [query, passes] of QUERIES) {
      const wanted = TURNS.flatMap((turn, index) => (passes(turn) ? [`/turn/${hex(0xf117_0000 + index, 32)}`] : []));
      await page.goto(`${scene.url}/?${query}`);
      const isSo = await eventually(
        query,
        async () => JSON.stringify(await shown()) === JSON.stringify(wanted.sort()),
        4000,
      ).catch(() => false);
      if (!isSo) wrong.push(`${query}: ${(await shown()).length} shown, not ${wanted.length}`);
      const address = await page.evaluate(() => location.search);
      if (address !== `?${query}`) wrong.push(`${query}: the address is ${address}`);
    }
    check(
      `${QUERIES.length} filters in the address show what passes, and nothing else`,
      wrong.length === 0,
      wrong.join('\n     '),
    );
    await checkTyped(page, shown, check);
    const [from, to] = [Date.now() - 100 * MINUTE, Date.now() - 10 * MINUTE];
    const between = await scene.rows(`&from=${from}&to=${to}`);
    const byDate = await scene.rows(`&from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`);
    check(
      'from and to, as numbers and as dates',
      between.length === 2 && byDate.length === 2,
      `${between.length}, ${byDate.length}`,
    );
    check('without any error', faults.length === 0, faults.join(', '));
    await close();
    await checkOdd(scene, browser, check);
  } finally {
    await scene.close();
  }
}

/** What is typed goes into the address, and Clear takes it out. */
async function checkTyped(page, shown, check) {
  await page.goto(new URL('/', page.url()).href);
  await page.waitForSelector('.turn-line');
  for (const [label, value] of [
    ['Agent', 'eve'],
    ['Model', 'other'],
    ['Tool', 'write_file'],
  ])
    await page.fill(`.filter-word input[placeholder="${label}"]`, value);
  await eventually('one is left', async () => (await shown()).length === 1);
  await eventually('all of it is in the address', () => page.evaluate(() => location.search.includes('&tool='))).catch(
    () => undefined,
  );
  const typed = await page.evaluate(() => location.search);
  await page.click('.filters button.quiet');
  await eventually('all are back', async () => (await shown()).length === TURNS.length);
  const cleared = await page.evaluate(() => location.search);
  check(
    'typed filters are in the address, and cleared',
    typed === '?agent=eve&model=other&tool=write_file' && cleared === '',
    typed,
  );
  // Cleared before what was typed last is in the address.
  await page.fill('.filter-word input[placeholder="Agent"]', 'eve');
  await page.waitForSelector('.filters button.quiet');
  await page.fill('.filter-word input[placeholder="Tool"]', 'write_file');
  await page.click('.filters button.quiet');
  await pause(600);
  const [left, search] = await page.evaluate(() => [
    [...document.querySelectorAll('.filter-word input')].map(({ value }) => value).join(''),
    location.search,
  ]);
  check('what is typed in the moment of Clear goes too', left === '' && search === '', `${left} ${search}`);
}

/** Times and ids that are allowed, or nearly, each in a trace of its own: what the list and the turn must say of it. */
function oddSpans() {
  const now = BigInt(Date.now()) * 1_000_000n;
  const one = (index, more) => ({
    traceId: hex(0x0dd_0000 + index, 32),
    spanId: hex(1, 16),
    name: `odd ${index}`,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 7_000_000n),
    ...more,
  });
  const upper = { ...one(8), traceId: 'ABCDEF00000000000000000000000008', spanId: 'ABCDEF0123456789' };
  return [
    {
      is: 'before 1970',
      spans: [one(1, { startTimeUnixNano: '-86400000000000', endTimeUnixNano: '-86399993000000' })],
      year: 1969,
      took: 7e6,
    },
    {
      is: 'after 2100',
      spans: [one(2, { startTimeUnixNano: '4291747200000000000', endTimeUnixNano: '4291747200007000000' })],
      year: 2106,
      took: 7e6,
    },
    { is: 'end absent', spans: [one(3, { endTimeUnixNano: undefined })], badge: 'running' },
    { is: 'end 0', spans: [one(4, { endTimeUnixNano: '0' })], badge: 'running' },
    {
      is: 'end before start',
      spans: [one(5, { endTimeUnixNano: String(now - 5_000_000n) })],
      badge: 'clock fault',
      took: 0,
    },
    { is: 'start 0', spans: [one(6, { startTimeUnixNano: '0' })], badge: 'clock fault' },
    {
      is: 'ids in upper case',
      spans: [upper, { ...upper, spanId: 'abcdef0123456790', parentSpanId: 'aBcDeF0123456789', name: 'child' }],
      trace: upper.traceId.toLowerCase(),
      took: 7e6,
    },
  ];
}

async function checkOdd(scene, browser, check) {
  const odd = oddSpans();
  const { status } = await scene.post('/v1/traces', request(odd.flatMap(({ spans }) => spans)));
  check('odd spans are taken', status === 200, String(status));
  const { page, faults, close } = await scene.look(browser);
  for (const { is, spans, year, took, badge, trace = spans[0].traceId } of odd) {
    const wrong = [];
    const row = (await scene.rows()).find((one) => one.trace === trace);
    if (row === undefined) wrong.push('is not in the list');
    else if (took !== undefined && row.duration !== took) wrong.push(`took ${row.duration}, not ${took}`);
    else if (badge === 'running' && row.duration !== null) wrong.push('does not run');
    const { spans: columns } = await scene.api(`/api/turns/${trace}`);
    if (columns.id.length !== spans.length) wrong.push(`${columns.id.length} spans`);
    if (spans.length > 1 && columns.parent[1] !== 0) wrong.push('the child hangs nowhere');
    await page.goto(`${scene.url}/turn/${trace}`);
    await page.waitForSelector('.span-row');
    const seen = await page.evaluate(() => ({
      rows: document.querySelectorAll('.span-row').length,
      badges: document.querySelector('.span-row').textContent,
      time: document.querySelector('.turn-head time')?.getAttribute('title') ?? '',
    }));
    if (seen.rows !== spans.length) wrong.push(`${seen.rows} rows`);
    if (badge !== undefined && !seen.badges.includes(badge)) wrong.push(`no ${badge}: ${seen.badges}`);
    if (year !== undefined && !seen.time.includes(String(year))) wrong.push(`${seen.time} is not in ${year}`);
    await page.goto(`${scene.url}/turn/${trace}/${columns.id[0]}`);
    await page.waitForSelector('.panel-body h1');
    wrong.push(...(await pageFaults(page)), ...faults.splice(0));
    check(`${is}: in the list, as a turn and as a span`, wrong.length === 0, wrong.join('\n     '));
  }
  await close();
}
