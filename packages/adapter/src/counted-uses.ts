interface Use {
  count: number;
  readonly end: () => void;
}

/** What is begun once for all who use it, and ends with the last of them. */
export class CountedUses<Key extends object> {
  readonly #uses = new WeakMap<Key, Use>();

  /**
   * Calls `begin` unless what `key` names is in use already; it returns what ends that. Throws only what `begin` throws.
   *
   * @returns the end of this use, which does nothing when it is called again
   */
  begin(key: Key, begin: () => () => void): () => void {
    const use = this.#uses.get(key) ?? { count: 0, end: begin() };
    use.count++;
    this.#uses.set(key, use);
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      if (--use.count > 0) return;
      this.#uses.delete(key);
      use.end();
    };
  }
}
