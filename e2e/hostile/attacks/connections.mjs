// Many connections, and slow ones.
import { pause, rawRequest, recordLine, Wire } from '../wire.mjs';

const BATCH = 200;

/** As many connections as are asked for, at once; half of them say something. */
export const manyConnections = {
  async attack({ socket, port, token, isFull }) {
    const most = isFull ? 10_000 : 2_000;
    const wires = [];
    for (const to of [socket, port]) {
      for (let i = 0; i < most; i++) {
        const wire = new Wire(to);
        if (i % 2 === 0) void wire.send(to === socket ? '{"ho' : 'GET /he');
        wires.push(wire);
        if (i % BATCH === 0) await pause(5);
      }
    }
    await pause(1_000);
    // Who comes last must find room.
    const newcomer = new Wire(socket);
    await newcomer.send(recordLine({ seq: 1 }));
    const began = performance.now();
    const isTaken = await newcomer.until(({ text }) => text.includes('"ack"'));
    const millis = performance.now() - began;
    const { status } = await rawRequest(port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    // Some of the client's ends may be of connections that the system never handed over.
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const text = await metrics.text();
    const left = ['socket', 'http'].map((door) => Number(new RegExp(`_${door}_connections (\\d+)`).exec(text)?.[1]));
    for (const wire of [...wires, newcomer]) wire.destroy();
    return { most, left, isTaken, millis, status };
  },
  check: ({ most, left, isTaken, millis, status }) => [
    [
      `of twice ${most} connections no more stay than may`,
      left.every((open) => open > 0 && open <= 1024),
      `${left.join(' and ')} stay`,
    ],
    ['who comes last is taken', isTaken && millis < 2_000 && status === 200, `${millis.toFixed(0)} ms, HTTP ${status}`],
  ],
};

/** A byte a second: of lines, of headers, of a body. */
export const slowWriters = {
  async attack({ socket, port, token, isFull }) {
    const line = recordLine();
    const head = 'POST /v1/records HTTP/1.1\r\nHost: localhost\r\n';
    const wires = Array.from({ length: 300 }, (_, i) => {
      const [kind, begin, rest, to] = [
        ['line', '', line, socket],
        ['headers', head, 'X-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', port],
        ['body', `${head}Authorization: Bearer ${token}\r\nContent-Length: 999\r\n\r\n`, line, port],
      ][i % 3];
      const wire = new Wire(to);
      void wire.send(begin);
      return { kind, rest, wire };
    });
    const seconds = isFull ? 130 : 14;
    for (let second = 0; second < seconds; second++) {
      for (const { rest, wire } of wires) void wire.send(rest[second % rest.length]);
      await pause(1_000);
    }
    const left = (kind) => wires.filter((each) => each.kind === kind && !each.wire.isClosed).length;
    const facts = { isFull, lines: left('line'), headers: left('headers'), bodies: left('body') };
    for (const { wire } of wires) wire.destroy();
    return facts;
  },
  check: ({ isFull, lines, headers, bodies }) => [
    ['slow headers are closed after 10 s', headers === 0, `${headers} stay`],
    ['a slow line may go on', lines === 100, `${lines} stay`],
    [
      isFull ? 'a slow body is closed after 2 min' : 'a slow body has 2 min',
      bodies === (isFull ? 0 : 100),
      `${bodies}`,
    ],
  ],
};
