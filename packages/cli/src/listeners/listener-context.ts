import type { ObserverError } from '@hermes-observer/core';
import type {
  AskPort,
  Count,
  IntakePort,
  PolicyPort,
  PresencePort,
  RefusalPort,
  StatusPort,
} from '../service/ports.js';
import { ListenerCounts } from './listener-counts.js';
import { MemoryBudget } from './memory-budget.js';
import { PROTOCOL } from './protocol.js';
import { ReadTurns } from './read-turns.js';

/** How old a status may be. */
const STATUS_MILLIS = 50;

/** Bounds of what listeners hold and take. */
export interface ListenerLimits {
  /** Longest line. */
  readonly lineBytes: number;
  /** Largest HTTP body, unpacked. */
  readonly bodyBytes: number;
  /** Read ahead of one connection. */
  readonly unacknowledgedBytes: number;
  /** All that is held at once. */
  readonly waitingBytes: number;
  /** Of the socket, and of HTTP. */
  readonly connections: number;
}

export interface ListenerPorts {
  readonly intake: IntakePort;
  readonly ask: AskPort;
  readonly status: StatusPort;
  readonly presence: PresencePort;
  readonly refusals: RefusalPort;
  /** Absent where there is no policy. */
  readonly policy?: PolicyPort | undefined;
}

/** What all listeners of a service share. */
export class ListenerContext {
  readonly ports: ListenerPorts;
  readonly limits: ListenerLimits;
  readonly version: string;
  readonly counts = new ListenerCounts();
  /** Records on their way to disk, and bodies. */
  readonly waiting: MemoryBudget;
  /** Lines whose end has not come. */
  readonly halfLines: MemoryBudget;
  readonly turns = new ReadTurns();
  #status: { readonly at: number; readonly text: string } | undefined;
  /** Where HTTP listens, once it does. */
  http: string | undefined;
  /** Told of what an operator should know. */
  readonly onFault: (error: ObserverError) => void;

  constructor(
    ports: ListenerPorts,
    limits: ListenerLimits,
    version: string,
    onFault: (error: ObserverError) => void = () => {},
  ) {
    this.ports = ports;
    this.limits = limits;
    this.version = version;
    this.onFault = onFault;
    this.waiting = new MemoryBudget(limits.waitingBytes);
    this.halfLines = new MemoryBudget(limits.waitingBytes);
    this.counts.watch(
      'waiting_bytes',
      'Bytes of records and bodies that are not on disk yet.',
      'gauge',
      () => this.waiting.held,
    );
    this.counts.watch('half_line_bytes', 'Bytes of lines whose end has not come.', 'gauge', () => this.halfLines.held);
  }

  allCounts(): readonly Count[] {
    return [...this.ports.status.counts(), ...this.counts.counts(), ...(this.ports.policy?.counts() ?? [])];
  }

  /** What `check` and a person want to know, as JSON. A text that was made just now is given again: it may be long. */
  status(): string {
    const now = performance.now();
    if (this.#status === undefined || now - this.#status.at > STATUS_MILLIS) {
      this.#status = { at: now, text: JSON.stringify(this.#makeStatus()) };
    }
    return this.#status.text;
  }

  #makeStatus(): Readonly<Record<string, unknown>> {
    const { status, intake, policy } = this.ports;
    return {
      protocol: PROTOCOL,
      version: this.version,
      pid: process.pid,
      http: this.http,
      is_ready: status.isReady,
      trouble: status.trouble,
      is_paused: intake.isPaused,
      producers: status.producers(),
      exporters: status.exporters(),
      ...(policy !== undefined && { policy: policy.status() }),
      counts: this.allCounts(),
    };
  }
}
