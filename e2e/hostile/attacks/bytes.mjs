// Bytes that are no records.
import { randomBytes } from 'node:crypto';
import { pause, rawRequest, recordLine, Wire } from '../wire.mjs';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** Random bytes, newlines in them, over the socket and over HTTP. */
export const garbage = {
  async attack({ socket, port }) {
    const wires = Array.from({ length: 40 }, (_, i) => new Wire(i % 4 === 0 ? port : socket));
    await Promise.all(
      wires.map(async (wire) => {
        for (let i = 0; i < 40; i++) await wire.send(randomBytes(MIB / 16));
      }),
    );
    await pause(500);
    const last = new Wire(socket);
    await last.send(`\0\xff{"hook":\n${recordLine({ seq: 1 })}`);
    const isTaken = await last.until(({ text }) => text.includes('"ack"'));
    for (const wire of [...wires, last]) wire.destroy();
    const answers = wires.filter(({ text }) => text.startsWith('HTTP/1.1 400')).length;
    return { isTaken, answers, told: last.told };
  },
  check: ({ isTaken, answers, told }, { refused }) => [
    ['a line that is none is told, and counted', told[0].error?.code === 'HO_RECORD_NOT_JSON' && refused > 100],
    ['a record behind it is taken', isTaken],
    ['HTTP answers with 400', answers === 10, `${answers} of 10`],
  ],
};

/** The beginnings of lines, whose ends never come: more than may be held together. */
export const halfLines = {
  mostMib: 640,
  async attack({ socket }) {
    const wires = Array.from({ length: 600 }, () => new Wire(socket));
    const large = Buffer.alloc(MIB, 0x20);
    await Promise.all(
      wires.map(async (wire, i) => {
        await wire.send('{"hook":"');
        for (let sent = 0; sent < (i < 60 ? 15 : 0); sent++) await wire.send(large);
        await wire.send(large.subarray(0, 50_000));
      }),
    );
    await pause(2_000);
    const busy = wires.filter(({ text }) => text.includes('HO_SERVICE_BUSY')).length;
    const left = wires.filter(({ isClosed }) => !isClosed).length;
    for (const wire of wires) wire.destroy();
    return { busy, left };
  },
  check: ({ busy, left }) => [
    ['long ones are held up to a bound, short ones stay', busy > 0 && left >= 540, `${busy} refused, ${left} stay`],
  ],
};

/** One line of 1 GiB over the socket, and a body of one over HTTP. */
export const longLine = {
  async attack({ socket, port, token }) {
    const piece = Buffer.alloc(MIB, 0x61);
    const wire = new Wire(socket);
    await wire.send('{"hook":"');
    for (let sent = 0; sent < GIB && !wire.isClosed; sent += MIB) await wire.send(piece);
    await wire.send(`"}\n${recordLine({ seq: 1 })}`);
    const isTaken = await wire.until(({ text }) => text.includes('"ack"'));
    wire.destroy();
    const head = `POST /v1/records HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
    const told = await rawRequest(port, `${head}Content-Length: ${GIB}\r\n\r\n`, 8_000);
    const chunked = new Wire(port);
    await chunked.send(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    for (let sent = 0; sent < GIB && !chunked.isClosed && chunked.text === ''; sent += MIB) {
      await chunked.send(`${MIB.toString(16)}\r\n`);
      await chunked.send(piece);
      await chunked.send('\r\n');
    }
    await chunked.until(({ text, isClosed }) => text !== '' || isClosed);
    // Who goes on sending may find the connection closed before it reads the answer.
    const status = chunked.text === '' && chunked.isClosed ? 413 : Number(chunked.text.slice(9, 12));
    chunked.destroy();
    return { isTaken, told: wire.told, statuses: [told.status, status] };
  },
  check: ({ isTaken, told, statuses }) => [
    ['the line is told to be too long', told[0].error?.code === 'HO_RECORD_TOO_LONG', JSON.stringify(told[0])],
    ['the record behind it is taken', isTaken],
    ['a body of that size is refused', statuses.every((status) => status === 413), statuses.join(', ')],
  ],
};
