import type { HookRecord } from '@hermes-observer/core';
import { sessionDigest } from './deletion-file.js';
import { isIn, type Ranges, rangesOf } from './position-ranges.js';

/** A record is of the session that any of these names. */
const FIELDS = ['session_id', 'child_session_id', 'parent_session_id'] as const;
/** Some hooks have the name of the session here, others that of a chat. */
const KEY_FIELD = 'session_key';
const MOST_REMEMBERED = 50_000;
const MOST_ADMISSIONS = 64;

/** What is known of a producer on the way through the journal. */
interface Seen {
  hasDeleted: boolean;
  hasOthers: boolean;
  /** Records that name no session. */
  nameless: number[];
  /** What a gateway let in, before it is said for which session. */
  admissions: { readonly position: number; readonly text: unknown }[];
}

/** Whether a record names one of some sessions. */
export function namesSession({ payload }: HookRecord, isOne: (session: string) => boolean): boolean {
  return FIELDS.some((field) => typeof payload[field] === 'string' && isOne(payload[field]));
}

/**
 * Finds the records of deleted sessions, read in order. Their child agents' are among them. One that names no session is
 * theirs if it is of a trace of theirs, names the tool call of one, is what a gateway let in for their turn, or comes from a
 * producer that had no other session.
 */
export class DeletionScan {
  /** Grows by the digests of child agents. */
  readonly #sessions: Set<string>;
  readonly #places: Ranges;
  readonly #found: number[] = [];
  readonly #producers = new Map<string, Seen>();
  /** Of tool calls, by producer and id: whether the last one of that name was theirs. */
  readonly #calls = new Map<string, boolean>();
  readonly #known = new Map<string, boolean>();

  /** @param places records that are known to be theirs */
  constructor(sessions: Iterable<string>, places: Ranges) {
    this.#sessions = new Set(sessions);
    this.#places = places;
  }

  get sessions(): string[] {
    return [...this.#sessions];
  }

  /** What was found, with what was known before. */
  ranges(): number[] {
    return rangesOf(this.#found, this.#places);
  }

  see(position: number, record: HookRecord): void {
    const { hook, payload, producer = '' } = record;
    const seen = this.#producer(producer);
    const isTheirs = namesSession(record, this.#isDeleted) || isIn(this.#places, position);
    const call = typeof payload.tool_call_id === 'string' ? `${producer} ${payload.tool_call_id}` : undefined;
    const isNamed = FIELDS.some((field) => typeof payload[field] === 'string' && payload[field] !== '');
    if (isNamed) {
      if (call !== undefined) this.#rememberCall(call, isTheirs);
      if (isTheirs) seen.hasDeleted = true;
      else {
        seen.hasOthers = true;
        seen.nameless = [];
      }
    }
    if (isTheirs) {
      this.#found.push(position);
      if (hook === 'subagent_start' && typeof payload.child_session_id === 'string')
        this.#add(payload.child_session_id);
      if (hook === 'pre_llm_call') this.#takeAdmissions(seen, payload.user_message);
    } else if (!isNamed) this.#nameless(position, record, seen, call);
  }

  /** To be called behind the last record. */
  end(): void {
    for (const { hasDeleted, hasOthers, nameless } of this.#producers.values()) {
      if (hasDeleted && !hasOthers) for (const position of nameless) this.#found.push(position);
    }
  }

  #nameless(position: number, { hook, payload }: HookRecord, seen: Seen, call: string | undefined): void {
    const key = payload[KEY_FIELD];
    if ((typeof key === 'string' && this.#isDeleted(key)) || (call !== undefined && this.#calls.get(call) === true)) {
      this.#found.push(position);
      return;
    }
    if (hook === 'post_gateway_admission' && typeof payload.text === 'string') {
      seen.admissions.push({ position, text: payload.text });
      if (seen.admissions.length > MOST_ADMISSIONS) seen.admissions.shift();
    }
    // What a producer says of itself is of no session.
    if (!seen.hasOthers && hook !== 'observer_hello') seen.nameless.push(position);
  }

  #takeAdmissions(seen: Seen, text: unknown): void {
    for (const admission of seen.admissions) if (admission.text === text) this.#found.push(admission.position);
    seen.admissions = seen.admissions.filter((admission) => admission.text !== text);
  }

  readonly #isDeleted = (session: string): boolean => {
    let isDeleted = this.#known.get(session);
    if (isDeleted === undefined) {
      isDeleted = this.#sessions.has(sessionDigest(session));
      if (this.#known.size >= MOST_REMEMBERED) this.#known.clear();
      this.#known.set(session, isDeleted);
    }
    return isDeleted;
  };

  #add(session: string): void {
    this.#sessions.add(sessionDigest(session));
    this.#known.set(session, true);
  }

  #rememberCall(call: string, isTheirs: boolean): void {
    this.#calls.delete(call);
    this.#calls.set(call, isTheirs);
    if (this.#calls.size <= MOST_REMEMBERED) return;
    const [oldest] = this.#calls.keys();
    if (oldest !== undefined) this.#calls.delete(oldest);
  }

  #producer(name: string): Seen {
    let seen = this.#producers.get(name);
    if (seen === undefined) {
      seen = { hasDeleted: false, hasOthers: false, nameless: [], admissions: [] };
      this.#producers.set(name, seen);
    }
    return seen;
  }
}
