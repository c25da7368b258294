/** Jobs of one key run one after another; jobs of different keys at the same time. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, job: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const done = before === undefined ? job() : before.then(job, job);
    this.#last.set(key, done);
    const leave = () => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    };
    done.then(leave, leave);
    return done;
  }

  /** Resolves when all that run or wait now are done. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.#last.values()]);
  }
}
