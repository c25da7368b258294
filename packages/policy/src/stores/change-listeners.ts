/** Who wants to hear of changes. One that throws keeps no other from hearing. */
export class ChangeListeners {
  readonly #listeners = new Set<(id: string) => void>();

  get size(): number {
    return this.#listeners.size;
  }

  add(listener: (id: string) => void): () => void {
    // Wrapped, so that one that is added twice is told twice and removed once.
    const own = (id: string) => listener(id);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** @param id of the approval that changed; '' when any may have. */
  tell(id: string): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(id);
      } catch (error) {
        process.emitWarning(error instanceof Error ? error : String(error));
      }
    }
  }
}
