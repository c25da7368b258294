import type { Socket } from 'node:net';

/**
 * A bound on open connections that does not shut newcomers out: at the bound, the one that was silent for longest makes
 * room; one that never said anything before one that has. One that is at work stays; if all are, the newcomer is closed.
 */
export class ConnectionSlots {
  readonly #most: number;
  /** Both from the longest silent on. */
  readonly #mute = new Set<Socket>();
  readonly #idle = new Set<Socket>();
  readonly #all = new Set<Socket>();
  closedForRoom = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get open(): number {
    return this.#all.size;
  }

  /** False when there is no room; the socket is closed then. */
  admit(socket: Socket): boolean {
    if (this.#all.size >= this.#most) {
      const [oldest = socket] = this.#mute.size > 0 ? this.#mute : this.#idle;
      this.closedForRoom++;
      this.#leave(oldest);
      oldest.destroy();
      if (oldest === socket) return false;
    }
    this.#all.add(socket);
    this.#mute.add(socket);
    socket.once('close', () => this.#leave(socket));
    return true;
  }

  /** It said something: it is the last to make room now. */
  touch(socket: Socket): void {
    if (this.#mute.delete(socket) || this.#idle.delete(socket)) this.#idle.add(socket);
  }

  /** While it waits for an answer of ours it does not make room. */
  setBusy(socket: Socket, isBusy: boolean): void {
    if (!this.#all.has(socket)) return;
    this.#mute.delete(socket);
    this.#idle.delete(socket);
    if (!isBusy) this.#idle.add(socket);
  }

  /** Closes all that are open. */
  closeAll(): void {
    for (const socket of this.#all) socket.destroy();
  }

  #leave(socket: Socket): void {
    this.#all.delete(socket);
    this.#mute.delete(socket);
    this.#idle.delete(socket);
  }
}
