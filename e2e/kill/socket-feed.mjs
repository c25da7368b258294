// Plays a producer over the socket of a service, as a forwarder would: connects again, and sends again.
import { connect } from 'node:net';

const TICK_MILLIS = 20;
const AGAIN_MILLIS = 100;
const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

export class SocketFeed {
  /** Longest time in milliseconds from the first sending of a record over a connection to its acknowledgement. */
  longestAck = 0;
  /** Times that the service asked to wait. */
  pauses = 0;
  connections = 0;
  /** Acknowledgements so far, and when the last one came. */
  acks = 0;
  lastAckAt = 0;
  errors = [];
  isPaused = false;
  #socket;
  #sent = [];
  #isOver = false;

  /** @param rate records a second. @param onAck told of each acknowledgement */
  constructor(path, producer, rate, onAck = () => {}) {
    this.path = path;
    this.producer = producer;
    this.rate = rate;
    this.onAck = onAck;
    this.running = this.#run();
  }

  /** Begins nothing new; `running` resolves when all is acknowledged. */
  finish() {
    this.producer.finish();
  }

  /** Ends at once, whatever is not acknowledged. */
  abandon() {
    this.#isOver = true;
    this.#socket?.destroy();
  }

  async #run() {
    let due = 0;
    while (!this.#isOver && !this.producer.isDone) {
      if (this.#socket === undefined) {
        // The first line may be that it should wait.
        await pause((await this.#connect()) ? TICK_MILLIS : AGAIN_MILLIS);
        continue;
      }
      due = this.isPaused ? 0 : Math.min(due + (this.rate * TICK_MILLIS) / 1000, this.rate);
      const lines = due < 1 ? [] : this.producer.next(Math.floor(due));
      if (lines.length > 0) {
        due -= lines.length;
        const at = performance.now();
        for (const line of lines) this.#sent.push({ seq: JSON.parse(line).seq, at });
        this.#socket.write(`${lines.join('\n')}\n`);
      }
      await pause(TICK_MILLIS);
    }
    this.#socket?.end();
  }

  #connect() {
    return new Promise((resolve) => {
      const socket = connect(this.path);
      let rest = '';
      socket.setEncoding('utf8');
      socket.once('connect', () => {
        this.connections++;
        this.#socket = socket;
        this.#sent = [];
        this.isPaused = false;
        this.producer.sendAgain();
        resolve(true);
      });
      socket.on('data', (text) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop();
        for (const line of lines) this.#told(JSON.parse(line));
      });
      socket.on('error', () => {});
      socket.once('close', () => {
        if (this.#socket === socket) this.#socket = undefined;
        resolve(false);
      });
    });
  }

  #told({ ack, pause: isPaused, error }) {
    if (isPaused !== undefined) {
      this.isPaused = isPaused;
      if (isPaused) this.pauses++;
    }
    if (error !== undefined) this.errors.push(error);
    if (ack === undefined || ack.producer !== this.producer.id) return;
    this.acks++;
    this.onAck(ack);
    this.lastAckAt = performance.now();
    while (this.#sent[0] !== undefined && this.#sent[0].seq <= ack.seq) {
      this.longestAck = Math.max(this.longestAck, this.lastAckAt - this.#sent.shift().at);
    }
    this.producer.acknowledge(ack.seq);
  }
}
