// Records a second of a whole replay to a file, beside one process that only parses the same lines.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantiles } from './interleave.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
export const RECORDINGS = {
  'w-volume': 'w-volume-30-turns-tui',
  b: 'b-two-sequential-tools',
  k: 'k-delegate-one-child-sync',
};

export const PARSE_ONLY = `
const { createReadStream } = require('node:fs');
const { createInterface } = require('node:readline');
let records = 0;
const lines = createInterface({ input: createReadStream(process.argv[1]) });
lines.on('line', (line) => { if (JSON.parse(line).hook !== undefined) records++; });
`;

/** The recording many times over, each time with ids of its own, so that no record is a repeated one. */
export function enlarge(recording, megabytes, folder) {
  const text = readFileSync(join(root, `conformance/recordings/0.22.2/${RECORDINGS[recording]}.ndjson`), 'utf8');
  const records = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const ids = new Set();
  for (const { producer, payload } of records) {
    ids.add(producer);
    for (const key of ['session_id', 'child_session_id']) if (payload[key]) ids.add(payload[key]);
  }
  const file = join(folder, `${recording}.ndjson`);
  writeFileSync(file, '');
  for (let copy = 0; statSync(file).size < megabytes * 1e6; copy++) {
    let next = text.trim();
    for (const id of ids) next = next.replaceAll(id, `${id}x${copy}`);
    appendFileSync(file, `${next}\n`);
  }
  return { file, records: readFileSync(file, 'utf8').split('\n').length - 1 };
}

function seconds(args) {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return (performance.now() - began) / 1000;
}

export function replayRate({ rounds = 7, megabytes = 100 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'replay-rate-'));
  const cli = join(root, 'packages/cli/bin/hermes-observer.js');
  try {
    return Object.keys(RECORDINGS).map((recording) => {
      const { file, records } = enlarge(recording, megabytes, folder);
      const parse = [];
      const replay = [];
      for (let round = -1; round < rounds; round++) {
        const parsed = seconds(['-e', PARSE_ONLY, file]);
        const replayed = seconds([cli, 'replay', file, '--otlp-file', join(folder, 'out.jsonl')]);
        if (round < 0) continue;
        parse.push(parsed);
        replay.push(replayed);
      }
      const [parsed, replayed] = [quantiles(parse).median, quantiles(replay).median];
      return {
        recording,
        records,
        parsedPerSecond: Math.round(records / parsed),
        replayedPerSecond: Math.round(records / replayed),
        ratio: parsed / replayed,
      };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
