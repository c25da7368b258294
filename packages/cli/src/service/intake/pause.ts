/** Whether more is taken, and who wants to know. */
export class Pause {
  readonly #listeners = new Set<(isPaused: boolean) => void>();
  #isOn = false;

  get isOn(): boolean {
    return this.#isOn;
  }

  set(isOn: boolean): void {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    for (const listener of [...this.#listeners]) listener(isOn);
  }

  onChange(listener: (isPaused: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
