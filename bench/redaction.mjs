// Redaction of a text of 4 KB beside `JSON.stringify` of it: what an agent and its tools say, with nothing to hide in it.
import { redactText } from '@hermes-observer/core';
import { interleave } from './interleave.mjs';

const UNITS = 4096;
const CALLS_A_SAMPLE = 200;

const MESSAGE = `I read packages/core/src/index.ts and found why the build fails: the parser gets a number where it wants a text.
Then I ran \`npm run build -- --verbose\` in the project folder, and it ended with exit code 1:

    error TS2345: Argument of type 'number' is not assignable to parameter of type 'string'. (index.ts:42:17)

Please check these three things before we go on:
1. The key of each entry is its name: \`{ "name": "harvest", "retries": 3 }\`.
2. See https://docs.example.org/guide/build?page=2#errors for the list of errors.
3. On 2026-11-29 at 21:00 the second attempt finished; 17 of 20 tests passed.

I suggest to split the function into two parts. The password must not be written to the log, as the guide says.
`;
const CODE = `export async function readEntries(path: string, limit = 100): Promise<Entry[]> {
  const lines = (await readFile(path, 'utf8')).split('\\n');
  const entries = new Map<string, Entry>();
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || index >= limit) continue;
    const { key, value, token } = parseLine(line);
    if (token !== undefined) throw new TypeError(\`line \${index}: unexpected token \${token}\`);
    entries.set(key, { key, value, line: index + 1 });
  }
  return [...entries.values()];
}
`;
const LOG = `2026-11-29T21:00:00.123Z INFO  [worker-3] read 17 entries in 42 ms id=550e8400-e29b-41d4-a716-446655440000
2026-11-29T21:00:01.004Z WARN  [worker-1] retry 2 of 5 for https://api.example.org/v1/items/42: status 503
    at send (/srv/app/client.js:42:17)
`;
const ROW = {
  id: 'toolu_01A09q90qw90lq917835lq9',
  path: 'src/field/harvest.ts',
  lines: [12, 40],
  ok: true,
  note: 'as before',
};

/** A flat string of exactly `UNITS` units, as one that was read from outside. */
const filled = (text) => Buffer.from(text.repeat(Math.ceil(UNITS / text.length)).slice(0, UNITS)).toString();

const TEXTS = {
  message: filled(MESSAGE),
  code: filled(CODE),
  log: filled(LOG),
  json: JSON.stringify(Array.from({ length: 37 }, () => ROW)),
};

/** @returns rows of ns a text; `ratio` is that to `JSON.stringify` of the same text */
export function redactionCost({ rounds }) {
  return Object.entries(TEXTS).map(([name, text]) => {
    if (redactText(text) !== text) throw new Error(`${name}: something was redacted`);
    const contestants = [
      { name: 'stringify', run: () => nanosOf(() => JSON.stringify(text)) },
      { name: 'redact', run: () => nanosOf(() => redactText(text)) },
    ];
    const figures = interleave(contestants, { rounds });
    const [stringify, redact] = [figures.get('stringify').median, figures.get('redact').median];
    return { text: name, units: text.length, stringify, redact, ratio: redact / stringify };
  });
}

let kept = 0;

function nanosOf(work) {
  const began = process.hrtime.bigint();
  for (let call = 0; call < CALLS_A_SAMPLE; call++) kept += work().length;
  const nanos = Number(process.hrtime.bigint() - began) / CALLS_A_SAMPLE;
  // So that no call can be left out as useless.
  if (kept < 0) throw new Error('unreachable');
  return nanos;
}
