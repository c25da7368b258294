// Records, and bodies of records, that are made to hurt.
import { gzipSync } from 'node:zlib';
import { pause, recordLine, Wire } from '../wire.mjs';

const MIB = 2 ** 20;

/** Small bodies that unpack to large ones, many at once. */
export const gzipBombs = {
  mostMib: 640,
  async attack({ port, token }) {
    const zeros = gzipSync(Buffer.alloc(600 * MIB));
    const lines = gzipSync(Buffer.from(recordLine({ producer: 'bomb' }).repeat(900_000)));
    const send = async (body) => {
      const response = await fetch(`http://127.0.0.1:${port}/v1/records`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-encoding': 'gzip' },
        body,
      });
      await response.arrayBuffer();
      return response.status;
    };
    const statuses = await Promise.all(Array.from({ length: 24 }, (_, i) => send(i % 2 === 0 ? zeros : lines)));
    return { statuses };
  },
  check: ({ statuses }) => [
    ['each is refused', statuses.every((status) => status === 413 || status === 429), statuses.join(', ')],
  ],
  producersThatMustNotBe: ['bomb'],
};

/** Numbers and times that are none. */
export const oddNumbers = {
  async attack({ socket, port, token }) {
    const odd = [
      { seq: '5' },
      { seq: -1 },
      { seq: 0 },
      { seq: 1.5 },
      { seq: 1e300 },
      { seq: 2 ** 53 },
      { seq: [1] },
      { seq: true },
      { producer: 7 },
      { producer: '' },
      { producer: ['a'] },
      { producer: 'x'.repeat(1_000) },
      { time_unix_nano: '9'.repeat(21) },
      { time_unix_nano: '18446744073709551616' },
      { time_unix_nano: '9'.repeat(100_000) },
      { time_unix_nano: '-1' },
      { time_unix_nano: '1e18' },
      { time_unix_nano: 1.5 },
    ];
    const lines = odd.map((fields) => recordLine({ producer: 'odd', ...fields }));
    const wire = new Wire(socket);
    await wire.send(lines.join('') + recordLine({ seq: 1 }));
    await wire.until(({ text }) => text.includes('"ack"'));
    const told = wire.told.filter(({ error }) => error !== undefined).map(({ error }) => error.line);
    wire.destroy();
    const response = await fetch(`http://127.0.0.1:${port}/v1/records`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: lines.join(''),
    });
    const answer = await response.json();
    return { odd: odd.map((fields) => JSON.stringify(fields).slice(0, 60)), told, answer };
  },
  check: ({ odd, told, answer }, { refused }) => {
    const missing = odd.filter((_, i) => !told.includes(i + 1) || !answer.errors.some(({ line }) => line === i + 1));
    return [
      ['each is told, over the socket and over HTTP', missing.length === 0, `not told: ${missing.join(' ')}`],
      ['none is taken', answer.records === 0, `${answer.records} taken`],
      ['all are counted', refused >= 2 * odd.length, `${refused} counted`],
    ];
  },
  producersThatMustNotBe: ['odd'],
};

/** Millions of brackets: what reads or writes them one inside the other runs out of stack. */
export const deepNesting = {
  async attack({ socket, port, token }) {
    const nest = (levels) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const wires = [];
    for (const levels of [2_000, 20_000, 120_000, 5_000_000]) {
      for (const [key, hook] of [
        ['args', 'pre_tool_call'],
        ['unknown', 'pre_tool_call'],
        ['hermes_version', 'observer_hello'],
        ['user_message', 'pre_llm_call'],
      ]) {
        const line = `${recordLine({ hook, producer: `deep-${levels}-${key}`, seq: 1, payload: { tool_name: 't', key: 0 } }).replace('"key":0', `"${key}":${nest(levels)}`)}`;
        const wire = new Wire(socket);
        await wire.send(line);
        await wire.send(line.replace('"payload"', `"deep":${nest(levels)},"payload"`));
        await wire.send(`{"op":"ask","id":1,"hook":"pre_tool_call","payload":${nest(levels)}}\n`);
        await wire.send(`${nest(levels)}\n`);
        wires.push(wire);
        await fetch(`http://127.0.0.1:${port}/v1/records`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
          body: line,
        }).catch(() => {});
      }
    }
    await pause(2_000);
    const silent = wires.filter(({ text }) => text === '').length;
    for (const wire of wires) wire.destroy();
    return { silent, all: wires.length };
  },
  check: ({ silent, all }) => [['each is answered', silent === 0, `${silent} of ${all} are not`]],
};

/** Names of many megabytes, which would be kept as keys. */
export const hugeNames = {
  async attack({ socket }) {
    const name = (i) => `${i}${'n'.repeat(4 * MIB)}`;
    const wire = new Wire(socket);
    for (let i = 0; i < 20; i++) {
      await wire.send(recordLine({ producer: name(i), seq: 1 }));
      await wire.send(recordLine({ producer: 'names', seq: 1, hook: name(i) }));
      await wire.send(recordLine({ producer: 'names', seq: 1, profile: name(i) }));
    }
    await wire.until(({ text }) => text.includes('"line":60}'));
    const refused = wire.told.filter(({ error }) => error?.code === 'HO_RECORD_SHAPE').length;
    const ids = ['session_id', 'turn_id', 'task_id', 'tool_call_id', 'tool_name', 'child_session_id', 'session_key'];
    for (let i = 0; i < 70; i++) {
      const id = ids[i % ids.length];
      const payload = { session_id: `s${i}`, turn_id: `t${i}`, [id]: name(i) };
      await wire.send(recordLine({ producer: 'names', seq: i + 1, hook: 'pre_tool_call', payload }));
    }
    await wire.until(({ text }) => text.includes('"line":100}'));
    const refusedIds = wire.told.filter(({ error }) => error?.line > 60).length;
    wire.destroy();
    return { refused, refusedIds };
  },
  check: ({ refused, refusedIds }) => [
    ['long names of producers, hooks and profiles are refused', refused === 60, `${refused} of 60`],
    // Of a connection, 100 errors are told.
    ['long ids in payloads are refused', refusedIds === 40, `${refusedIds} of 40 that are told`],
  ],
};

/** More producers, sessions and hooks than are known at once. */
export const manyNames = {
  async attack({ socket }) {
    const wire = new Wire(socket);
    // Fewer than 1 MiB of acknowledgements: they may all wait to be read.
    const most = 15_000;
    for (let i = 0; i < most; i += 500) {
      const lines = Array.from({ length: 500 }, (_, k) => {
        const id = `many-${i + k}`;
        return recordLine({
          producer: id,
          seq: 1,
          hook: k % 5 === 0 ? id : 'pre_llm_call',
          payload: { session_id: id },
        });
      });
      await wire.send(lines.join(''));
    }
    await wire.send('{"op":"sync","id":"all"}\n');
    const isTaken = await wire.until(({ text }) => text.includes('{"synced":"all"}'), 30_000);
    wire.destroy();
    return { isTaken };
  },
  check: ({ isTaken }) => [['they are taken', isTaken]],
};

/** Lines of little else than empty objects: in memory they take many times their bytes. */
export const wideRecords = {
  async attack({ socket }) {
    const record = (fields) => {
      const line = recordLine({ hook: 'pre_tool_call', payload: { tool_name: 't', args: 0 } });
      return line.replace('"args":0', `"args":[${'{},'.repeat(fields)}0]`);
    };
    const wires = Array.from({ length: 8 }, () => new Wire(socket));
    await Promise.all(
      wires.map(async (wire) => {
        // The first is over what a line may have.
        await wire.send(record(2_000_000));
        for (let i = 0; i < 400; i++) await wire.send(record(10_000));
        await wire.send('{"op":"sync","id":"all"}\n');
      }),
    );
    const all = wires.map((wire) => wire.until(({ text }) => text.includes('{"synced":"all"}'), 60_000));
    const areTaken = (await Promise.all(all)).every(Boolean);
    const refused = wires.filter(({ text }) => text.includes('HO_RECORD_SHAPE')).length;
    for (const wire of wires) wire.destroy();
    return { areTaken, refused };
  },
  check: ({ areTaken, refused }) => [
    ['those without measure are refused', refused === 8, `${refused} of 8`],
    ['the others are taken', areTaken],
  ],
};
