// Clients that ask and ask.
import { connect } from 'node:net';
import { pause, recordLine } from '../wire.mjs';

/** @param isDeaf reads nothing of what it is told */
function client(to, isDeaf) {
  const socket = typeof to === 'number' ? connect(to, '127.0.0.1') : connect(to);
  socket.on('error', () => {});
  return isDeaf ? socket.pause() : socket.resume();
}

/** Half of them read, so that nothing but the work is against them. */
export const floods = {
  async attack({ socket, port, token }) {
    // A status tells of all of them.
    const many = client(socket, false);
    for (let i = 0; i < 1_000; i++) many.write(recordLine({ producer: `one-of-many-${i}`, seq: 1 }));
    await pause(500);
    many.destroy();
    const request = `GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const kinds = [
      [socket, '{"op":"status","id":1}\n'],
      [socket, '{"op":"sync","id":1}\n'],
      [socket, '{"op":"ask","id":1,"hook":"pre_tool_call","payload":{}}\n'],
      [socket, recordLine({ producer: 'unread', seq: 1 })],
      [socket, 'nonsense\n'],
      [port, request],
      [port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ];
    const sockets = kinds.flatMap(([to, text]) =>
      Array.from({ length: 4 }, (_, i) => {
        const made = client(to, i % 2 === 0);
        const bytes = text.repeat(Math.ceil(65_536 / text.length));
        let left = 300;
        const more = () => {
          while (left-- > 0 && made.write(bytes));
        };
        made.on('drain', more);
        more();
        return made;
      }),
    );
    await pause(5_000);
    for (const each of sockets) each.destroy();
    return {};
  },
  check: () => [],
};
