import type { Blocked } from './verdict.js';

/** Sessions that were refused are remembered so many; the oldest are forgotten first. */
const MOST_REFUSED = 100_000;

/** Sessions that may not go on: a hook for their start refused, or has not answered yet. */
export class SessionStarts {
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #refused = new Map<string, Blocked>();

  /** Follows the start of a session. */
  follow(session: string, start: Promise<Blocked | undefined>): void {
    const before = this.#underWay.get(session);
    const all = Promise.all([before, start]).then(([, refused]) => {
      if (refused !== undefined) this.#refuse(session, refused);
      if (this.#underWay.get(session) === all) this.#underWay.delete(session);
    });
    this.#underWay.set(session, all);
  }

  /** Why the first of these sessions that was refused was. Waits for starts that are under way. */
  refusalOf(sessions: readonly string[]): Blocked | undefined | Promise<Blocked | undefined> {
    if (this.#underWay.size === 0) return this.#refused.size === 0 ? undefined : this.#among(sessions);
    const waits = sessions.map((session) => this.#underWay.get(session)).filter((wait) => wait !== undefined);
    return waits.length === 0 ? this.#among(sessions) : Promise.all(waits).then(() => this.#among(sessions));
  }

  #among(sessions: readonly string[]): Blocked | undefined {
    for (const session of sessions) {
      const refused = this.#refused.get(session);
      if (refused !== undefined) return refused;
    }
    return undefined;
  }

  #refuse(session: string, refused: Blocked): void {
    this.#refused.set(session, refused);
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > MOST_REFUSED && oldest !== undefined) this.#refused.delete(oldest);
  }
}
