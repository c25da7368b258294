// Plays a producer over HTTP, a request at a time.
import { TOKEN } from '../kill/serve-command.mjs';

const BATCH = 40;
const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

export class HttpFeed {
  /** Longest time in milliseconds of a request that was answered with 200. */
  longestAck = 0;
  /** Times that the service asked to come again. */
  pauses = 0;
  acks = 0;
  lastAckAt = 0;
  errors = [];
  #isOver = false;

  constructor(url, producer, rate) {
    this.url = `${url}/v1/records`;
    this.producer = producer;
    this.rate = rate;
    this.running = this.#run();
  }

  finish() {
    this.producer.finish();
  }

  abandon() {
    this.#isOver = true;
  }

  async #run() {
    let due = 0;
    while (!this.#isOver && !this.producer.isDone) {
      due = Math.min(due + this.rate / 10, BATCH);
      const lines = due < 1 ? [] : this.producer.next(Math.floor(due));
      if (lines.length > 0) {
        due -= lines.length;
        await this.#send(lines);
      }
      await pause(100);
    }
  }

  async #send(lines) {
    const body = `${lines.join('\n')}\n`;
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-ndjson' };
    while (!this.#isOver) {
      const began = performance.now();
      try {
        const response = await fetch(this.url, {
          method: 'POST',
          headers,
          body,
          signal: AbortSignal.timeout(30_000),
        });
        const answer = await response.json();
        if (response.status === 200) {
          this.errors.push(...answer.errors);
          for (const { producer, seq } of answer.acks) {
            if (producer === this.producer.id) this.producer.acknowledge(seq);
          }
          this.acks++;
          this.lastAckAt = performance.now();
          this.longestAck = Math.max(this.longestAck, this.lastAckAt - began);
          return;
        }
        this.pauses++;
      } catch {
        // It is away: the same again.
      }
      await pause(200);
    }
  }
}
