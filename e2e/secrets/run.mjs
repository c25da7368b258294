// Plants secrets of many kinds in every field of every hook, and looks for them in every byte that leaves.
//
// npm run e2e:secrets [-- --full] [-- --seed 7] [-- --keep]
//
// Two ways out: `hermes-observer replay` to a file, and `createObserver` with OTLP over HTTP to a local backend. With
// `capture: none` nothing planted may be found, with `redacted` and with `redaction` nothing of what docs/redaction.md
// claims. The same with `full` shows that the search would find it. Ordinary texts must stay as they are.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { redactText } from '@hermes-observer/core';
import { createObserver, OtlpHttpExporter } from '@hermes-observer/otel';
import fc from 'fast-check';
import { KINDS } from './kinds.mjs';
import { ordinaryTexts } from './ordinary.mjs';
import { OtlpSink } from './otlp-sink.mjs';
import { place, placementsOf } from './placements.mjs';
import { Random } from './random.mjs';
import { FIELD_COUNT, HOOKS, turnOf } from './records.mjs';
import { found } from './search.mjs';

const { values } = parseArgs({
  options: { full: { type: 'boolean' }, seed: { type: 'string' }, keep: { type: 'boolean' } },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
/** Turns of each kind with other secrets and placements, in one recording; and how many recordings. */
const ROUNDS = 2;
const RECORDINGS = values.full ? 6 : 1;
const PLACEMENTS_TRIED = values.full ? 20_000 : 1_500;
const FIELDS_TRIED = values.full ? 5_000 : 500;
const ORDINARY_TEXTS = values.full ? 20_000 : 2_000;
const MOST_FALSE = 0.005;

const command = fileURLToPath(new URL('../../packages/cli/bin/hermes-observer.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
const random = new Random(seed);
let passed = 0;
let failed = 0;

function check(what, isGood, details = '') {
  console.log(`${isGood ? 'ok  ' : 'FAIL'} ${what}${details === '' ? '' : `: ${details}`}`);
  if (isGood) passed++;
  else failed++;
}

/** Turns with every kind in every field, and what was planted. */
function plantAll() {
  const planted = [];
  const turns = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [k, kind] of KINDS.entries()) {
      for (const [inIds, keepsWords] of [
        [false, false],
        [false, true],
        [true, false],
      ]) {
        const { text, needles } = kind.make(random);
        planted.push({ kind: kind.name, needles, inIds });
        const places = placementsOf(kind, text);
        turns.push(
          turnOf({
            id: `${round}-${k}-${inIds}-${keepsWords}`,
            plant: () => place(random.pick(places), text),
            key: kind.isFree && !text.includes('\n') ? text : undefined,
            inIds,
            keepsWords,
          }),
        );
      }
    }
  }
  return { planted, turns };
}

function writeRecording(turns) {
  const file = join(folder, 'planted.ndjson');
  const lines = turns.flatMap((records, turn) =>
    records.map(({ hook, payload }, i) =>
      JSON.stringify({
        hook,
        time_unix_nano: `${1_790_000_000_000_000_000n + BigInt(turn * 1000 + i) * 1_000_000n}`,
        seq: i + 1,
        producer: `p${turn}`,
        payload,
      }),
    ),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

function replay(file, capture) {
  const output = join(folder, `${capture}.json`);
  const args = [command, 'replay', file, '--capture', capture, '--otlp-file', output];
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`replay ended with ${status}: ${stderr.slice(0, 2000)}`);
  return Buffer.concat([readFileSync(output), Buffer.from(stdout + stderr)]);
}

async function throughObserver(turns, options) {
  const sink = new OtlpSink();
  const url = await sink.open();
  const warnings = [];
  const observer = createObserver({
    exporters: [new OtlpHttpExporter({ url })],
    env: {},
    onWarning: (text) => warnings.push(text),
    limits: { maxOpenTraces: 50_000 },
    ...options,
  });
  for (const [turn, records] of turns.entries()) {
    for (const { hook, payload } of records) observer.hub.emit(hook, payload, { producer: `p${turn}` });
    if (turn % 20 === 0) await observer.flush();
  }
  await observer.shutdown();
  sink.close();
  return { bytes: Buffer.concat([sink.bytes(), Buffer.from(warnings.join('\n'))]), counts: observer.counts };
}

/** Each kind once, with where it was seen first. */
function told(hits) {
  const byKind = new Map(hits.map((hit) => [hit.kind, hit]));
  return [...byKind.values()]
    .slice(0, 4)
    .map(({ kind, where }) => `\n       ${kind} in ${where}`)
    .join('');
}

/** Ids are told apart: they are what records are tied together by. */
function checkNone(what, bytes, planted) {
  for (const inIds of [false, true]) {
    const some = planted.filter((one) => one.inIds === inIds);
    const hits = found(bytes, some);
    const where = inIds ? ', ids of records included' : '';
    check(
      `${what}${where}: none of ${some.length} in ${(bytes.length / 1e6).toFixed(1)} MB`,
      hits.length === 0,
      told(hits),
    );
  }
}

/** What the same search finds where nothing is taken out; else it would prove nothing. */
function checkAll(what, bytes, planted) {
  const seen = new Set(found(bytes, planted).map(({ kind }) => kind));
  const missing = KINDS.map(({ name }) => name).filter((name) => !seen.has(name));
  check(`${what}: all ${KINDS.length} kinds are found`, missing.length === 0, missing.join(', '));
}

/** Any kind in any placement in any field, shrunk where one gets through. */
function checkPlacements() {
  const planted = fc
    .record({
      kind: fc.constantFrom(...KINDS),
      seed: fc.integer({ min: 1, max: 2 ** 31 }),
      before: WORDS,
      after: WORDS,
    })
    .chain(({ kind, seed: own, before, after }) => {
      const { text, needles } = kind.make(new Random(own));
      return fc.array(fc.constantFrom(...placementsOf(kind, text)), { minLength: 1, maxLength: 1 }).map(([name]) => ({
        kind: kind.name,
        placement: name,
        text: `${before}\n${place(name, text)}\n${after}`,
        needles,
      }));
    });
  const property = fc.property(planted, fc.boolean(), ({ text, needles }, isNested) => {
    const given = isNested ? JSON.stringify({ body: JSON.stringify({ text }) }) : text;
    const kept = redactText(given);
    return needles.every((needle) => !kept.includes(needle) && !kept.includes(JSON.stringify(needle).slice(1, -1)));
  });
  const result = fc.check(property, { numRuns: PLACEMENTS_TRIED, seed });
  const example = result.counterexample === null ? '' : JSON.stringify(result.counterexample);
  check(`${PLACEMENTS_TRIED} placements with words around them`, !result.failed, example);
}

/** Any kind in any placement in one field of one hook, through an observer. */
async function checkFields() {
  const exported = [];
  const exporter = {
    export: (spans, done) => {
      for (const { name, attributes, events, links, status } of spans)
        exported.push({ name, attributes, events, links, status });
      done({ code: 0 });
    },
    shutdown: async () => {},
  };
  const modes = ['none', 'redacted'].map((capture) => createObserver({ capture, exporters: [exporter], env: {} }));
  let turn = 0;
  const property = fc.asyncProperty(
    fc.constantFrom(...KINDS),
    fc.integer({ min: 1, max: 2 ** 31 }),
    fc.nat(FIELD_COUNT),
    fc.nat(100),
    fc.boolean(),
    async (kind, own, field, placement, keepsWords) => {
      const { text, needles } = kind.make(new Random(own));
      const places = placementsOf(kind, text);
      let n = 0;
      const plant = () => (n++ === field ? place(places[placement % places.length], text) : 'plain');
      const records = turnOf({ id: `f${turn++}`, plant, inIds: false, keepsWords });
      for (const observer of modes) {
        for (const { hook, payload } of records) observer.hub.emit(hook, payload);
        await observer.flush();
      }
      const all = JSON.stringify(exported.splice(0));
      return needles.every((needle) => !all.includes(needle) && !all.includes(JSON.stringify(needle).slice(1, -1)));
    },
  );
  const result = await fc.check(property, { numRuns: FIELDS_TRIED, seed });
  for (const observer of modes) await observer.shutdown();
  const example =
    result.counterexample === null ? '' : JSON.stringify(result.counterexample.map((one) => one.name ?? one));
  check(`${FIELDS_TRIED} kinds in single fields`, !result.failed, example);
}

const WORDS = fc
  .array(
    fc.constantFrom(
      'the',
      'harvest',
      'is',
      'late',
      '"quoted"',
      "it's",
      '{',
      '}',
      '[',
      ']',
      '\\',
      '\n',
      ':',
      '=',
      'é',
      '日本',
      '👩‍💻',
      '%',
      '#',
    ),
  )
  .map((words) => words.join(' '));

function checkOrdinary() {
  const texts = ordinaryTexts(random, ORDINARY_TEXTS);
  const changed = texts.filter(({ text }) => redactText(text) !== text);
  const rate = changed.length / texts.length;
  const bySort = {};
  for (const { sort } of changed) bySort[sort] = (bySort[sort] ?? 0) + 1;
  check(
    `ordinary texts changed: ${changed.length} of ${texts.length}, ${(rate * 100).toFixed(3)} %, at most ${MOST_FALSE * 100} %`,
    rate < MOST_FALSE,
    JSON.stringify(bySort),
  );
}

/** What the documentation says is left alone: the other side of the claim. */
function checkLeftAlone() {
  const key = KINDS[0].make(random).text;
  const encoded = Buffer.from(`key is ${key} and more`).toString('base64');
  check(
    'base64 of a secret is left alone, as the documentation says',
    redactText(`a ${encoded} b`) === `a ${encoded} b`,
  );
}

/** All ways out for one recording. */
async function checkRecording() {
  const { planted, turns } = plantAll();
  const recording = writeRecording(turns);
  console.log(`     ${turns.length} turns, ${(statSync(recording).size / 1e6).toFixed(1)} MB of records`);
  checkAll('replay, capture full', replay(recording, 'full'), planted);
  for (const capture of ['none', 'redacted']) {
    checkNone(`replay, capture ${capture}`, replay(recording, capture), planted);
    checkNone(`createObserver, capture ${capture}`, (await throughObserver(turns, { capture })).bytes, planted);
  }
  for (const mode of ['mask', 'hash', 'remove']) {
    const { bytes, counts } = await throughObserver(turns, { capture: 'full', redaction: { mode, salt: 'test' } });
    checkNone(`createObserver, capture full, redaction ${mode}`, bytes, planted);
    const kinds = Object.keys(counts.redactedByKind).length;
    check(`     counted: ${counts.redactedValues} values of ${kinds} kinds`, counts.redactedValues > planted.length);
  }
}

const began = performance.now();
console.log(`seed ${seed}: ${KINDS.length} kinds in ${FIELD_COUNT} fields of ${HOOKS.length} hooks`);
try {
  for (let n = 0; n < RECORDINGS; n++) await checkRecording();
  checkPlacements();
  await checkFields();
  checkOrdinary();
  checkLeftAlone();
} finally {
  if (values.keep) console.log(folder);
  else rmSync(folder, { recursive: true, force: true });
}
console.log(`${((performance.now() - began) / 1000).toFixed(0)} s, seed ${seed}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
