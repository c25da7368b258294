// Bytes to a service, and what it says: without a client library that would mend them.
import { once } from 'node:events';
import { connect } from 'node:net';

export const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

const MOST_CHARS = 2 ** 20;

/** A connection to the socket or the port of a service. */
export class Wire {
  text = '';
  isClosed = false;

  /** @param to path of a socket, or a port of the loopback interface */
  constructor(to) {
    this.socket = typeof to === 'number' ? connect(to, '127.0.0.1') : connect(to);
    this.socket.on('error', () => {});
    this.socket.setEncoding('utf8').on('data', (text) => {
      // The end tells what is looked for.
      this.text = (this.text + text).slice(-MOST_CHARS);
    });
    this.closed = new Promise((resolve) => this.socket.once('close', resolve)).then(() => {
      this.isClosed = true;
    });
  }

  /** Resolves when there is room for more, or the connection is gone. */
  async send(bytes) {
    if (this.isClosed || this.socket.write(bytes)) return;
    await Promise.race([once(this.socket, 'drain').catch(() => {}), this.closed]);
  }

  /** The last lines, as JSON. */
  get told() {
    const lines = this.text.split('\n').slice(this.text.length === MOST_CHARS ? 1 : 0, -1);
    return lines.map((line) => JSON.parse(line));
  }

  /** @returns whether it came true. */
  async until(isTrue, millis = 10_000) {
    const end = performance.now() + millis;
    while (!isTrue(this)) {
      if (performance.now() > end) return false;
      await pause(20);
    }
    return true;
  }

  destroy() {
    this.socket.destroy();
  }
}

/** One request as it stands; the status of the first answer, 0 without one, and all that came. */
export async function rawRequest(port, text, millis = 3_000) {
  const wire = new Wire(port);
  await wire.send(text);
  await Promise.race([wire.closed, pause(millis)]);
  wire.destroy();
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(wire.text)?.[1] ?? 0), text: wire.text };
}

let seq = 0;
/** A sound record as a line. */
export function recordLine({ producer = `attacker-${process.pid}`, payload = {}, ...more } = {}) {
  seq++;
  const time_unix_nano = `${Date.now()}000000`;
  return `${JSON.stringify({ hook: 'pre_llm_call', time_unix_nano, seq, producer, payload, ...more })}\n`;
}
