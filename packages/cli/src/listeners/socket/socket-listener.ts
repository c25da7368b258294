import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { ObserverError } from '@hermes-observer/core';
import { ConnectionSlots } from '../connection-slots.js';
import type { ListenerContext } from '../listener-context.js';
import { RecordConnection } from './record-connection.js';
import { prepareSocketPlace } from './socket-place.js';

/** How many may wait to be accepted. */
const BACKLOG = 511;

/** The unix socket: mode 0600 in a folder of mode 0700, so that who can open it is the user. */
export class SocketListener {
  readonly path: string;
  readonly #server: Server;
  readonly #slots: ConnectionSlots;
  readonly #inode: number;

  private constructor(path: string, server: Server, slots: ConnectionSlots) {
    this.path = path;
    this.#server = server;
    this.#slots = slots;
    this.#inode = lstatSync(path).ino;
  }

  /** @throws ObserverError `HO_LISTEN_FAILED`, `HO_SERVICE_RUNNING`. */
  static async open(path: string, context: ListenerContext): Promise<SocketListener> {
    await prepareSocketPlace(path);
    const slots = new ConnectionSlots(context.limits.connections);
    context.counts.watch('socket_connections', 'Open connections of the socket.', 'gauge', () => slots.open);
    context.counts.watch(
      'socket_closed_for_room',
      'Connections closed to make room.',
      'counter',
      () => slots.closedForRoom,
    );
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      if (slots.admit(socket)) new RecordConnection(socket, context, slots);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause: NodeJS.ErrnoException) => {
        reject(new ObserverError('HO_LISTEN_FAILED', `cannot listen on ${path}: ${cause.message}`, { cause }));
      });
      server.listen({ path, backlog: BACKLOG }, resolve);
    });
    chmodSync(path, 0o600);
    // A connection that could not be accepted is one of the client's; the service goes on.
    server.on('error', () => context.counts.refuse('accept'));
    return new SocketListener(path, server, slots);
  }

  /** Takes no further connection. The path is free at once, unless another service has it by now. */
  stop(): void {
    if (lstatSync(this.path, { throwIfNoEntry: false })?.ino === this.#inode) unlinkSync(this.path);
    this.#server.close();
  }

  /** Closes what is open. */
  closeConnections(): void {
    this.#slots.closeAll();
  }
}
