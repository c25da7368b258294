/** Reasons kept; more than this many calls of one turn are hardly called off before it ends. */
const MOST = 64;

/**
 * Reasons by which parts of a turn were called off, those of its subagents included: an agent that throws one of them
 * again was called off as well, though no signal of its own says so.
 */
export class AbortReasons {
  #reasons: Set<unknown> | undefined = undefined;

  add(reason: unknown): void {
    this.#reasons ??= new Set();
    if (this.#reasons.size < MOST) this.#reasons.add(reason);
  }

  has(error: unknown): boolean {
    return this.#reasons?.has(error) === true;
  }
}
