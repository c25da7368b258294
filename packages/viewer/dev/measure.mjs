// What the page costs with turns of any size: `node dev/measure.mjs [folder of OTLP files] [runs]`.
import { launchBrowser } from './browser.mjs';
import { generateTurn } from './generate.mjs';
import { serveFixtures } from './serve.mjs';

const runs = Number(process.argv[3] ?? 4);
const { server, url } = await serveFixtures({ folder: process.argv[2] });
const browser = await launchBrowser();

async function once(size) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  let requests = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  page.on('request', (request) => request.url().startsWith('http') && requests++);
  const address = size === 0 ? `${url}/nothing/here` : `${url}/turn/${generateTurn(size)[0].trace}`;
  await page.goto(address, { waitUntil: 'commit' });
  await page.waitForSelector(size === 0 ? '.notice' : '.span-row');
  // The time at which the browser painted it, on the page's own clock.
  const rows = await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())))),
  );
  const shift = await page.evaluate(
    () =>
      new Promise((done) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const { value } of list.getEntries()) sum += value;
        }).observe({
          type: 'layout-shift',
          buffered: true,
        });
        setTimeout(() => done(sum), 300);
      }),
  );
  const fps = size === 0 ? { fps: 0, gap: 0 } : await page.evaluate(scroll);
  const dom = await page.evaluate(() => document.querySelectorAll('*').length);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const asked = requests;
  const open = size === 0 ? 0 : await page.evaluate(openSpan);
  await context.close();
  return { rows, bytes: bytes / 1000, requests: asked, ...fps, dom, heap: usedSize / 1e6, shift, open };
}

/** Runs in the page: 3 s of 120 px a frame. */
function scroll() {
  return new Promise((done) => {
    const grid = document.querySelector('.span-grid');
    const began = performance.now();
    let last = began;
    let frames = 0;
    let gap = 0;
    const step = (now) => {
      if (frames > 0) gap = Math.max(gap, now - last);
      last = now;
      frames++;
      grid.scrollTop += 120;
      if (grid.scrollTop + grid.clientHeight >= grid.scrollHeight - 1) grid.scrollTop = 0;
      if (now - began < 3000) requestAnimationFrame(step);
      else done({ fps: ((frames - 1) / (now - began)) * 1000, gap });
    };
    requestAnimationFrame(step);
  });
}

/** Runs in the page: from the click on a span to its attributes. */
function openSpan() {
  return new Promise((done) => {
    const began = performance.now();
    document.querySelector('.span-row:nth-child(3) .name').click();
    const look = () =>
      document.querySelector('.attributes') ? done(performance.now() - began) : requestAnimationFrame(look);
    look();
  });
}

const best = (results, name, pick = Math.min) => pick(...results.map((one) => one[name]));
const empty = await once(0);
console.log(`empty page: heap ${empty.heap.toFixed(1)} MB, ${empty.dom} elements, ${empty.bytes.toFixed(0)} KB`);
for (const size of [100, 1000, 20000]) {
  const results = [];
  for (let run = 0; run < runs; run++) results.push(await once(size));
  console.log(
    `${size} spans: rows ${results.map(({ rows }) => rows.toFixed(0)).join(' / ')} ms, ${best(results, 'fps', Math.max).toFixed(1)} fps (worst gap ${best(results, 'gap').toFixed(0)} ms), ` +
      `heap +${(best(results, 'heap') - empty.heap).toFixed(1)} MB, ${best(results, 'dom', Math.max)} elements, ${best(results, 'bytes').toFixed(0)} KB, ` +
      `${best(results, 'requests', Math.max)} requests, layout shift ${best(results, 'shift', Math.max).toFixed(4)}, span opens in ${best(results, 'open').toFixed(0)} ms`,
  );
}
await browser.close();
server.close();
