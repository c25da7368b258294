import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';

/** Where nobody that speaks the protocol answered. `isLate`: it took all the time there was; `hasRecords`: somebody took them. */
export class UnreachableError extends Error {
  readonly isLate: boolean;
  readonly hasRecords: boolean;
  constructor(message: string, isLate: boolean, hasRecords = true) {
    super(message);
    this.isLate = isLate;
    this.hasRecords = hasRecords;
  }
}

/** The service is there, and gave no decision: it refused the question, or a person has not answered in time. */
export class UndecidedError extends Error {
  readonly isLate: boolean;
  constructor(message: string, isLate: boolean) {
    super(message);
    this.isLate = isLate;
  }
}

export type AnswerLine = Readonly<Record<string, unknown>>;

const LONGEST_RESERVE_MILLIS = 1_000;
/** A service that is lost while it thinks may be there again soon; it knows the question by its ids. */
const RESTART_MILLIS = 5_000;
const PAUSE_MILLIS = 100;
const LONGEST_ANSWER = 32 * 1024 * 1024;
const PROBE = '{"op":"sync","id":"alive"}\n';

/**
 * Asks the service over its socket, behind `records`, lines that it takes first: a decision then stands behind the call it is
 * about. Never waits longer than `millis`. @throws UnreachableError, UndecidedError
 */
export async function ask(
  path: string,
  records: string,
  hook: string,
  payload: unknown,
  millis: number,
): Promise<AnswerLine> {
  const until = performance.now() + millis;
  let lost: number | undefined;
  for (;;) {
    const left = until - performance.now();
    const end = await exchange(path, lost === undefined ? records : '', hook, payload, left);
    if (end.kind === 'answer') return end.line;
    if (end.kind === 'undecided') throw new UndecidedError(end.why, end.isLate);
    const now = performance.now();
    if (end.kind === 'lost') lost ??= now;
    const isOver = now + PAUSE_MILLIS > until;
    if (end.kind === 'silent' || lost === undefined || now - lost > RESTART_MILLIS || isOver) {
      const isLate = end.kind === 'silent' || (lost !== undefined && isOver);
      throw new UnreachableError(end.why, isLate, end.kind === 'silent' || lost !== undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
  }
}

type End =
  | { readonly kind: 'answer'; readonly line: AnswerLine }
  | { readonly kind: 'undecided'; readonly why: string; readonly isLate: boolean }
  /** `away`: no connection; `lost`: one that ended; `silent`: there, and nothing of the protocol came. */
  | { readonly kind: 'away' | 'lost' | 'silent'; readonly why: string };

function exchange(path: string, records: string, hook: string, payload: unknown, millis: number): Promise<End> {
  return new Promise((resolve) => {
    const id = randomUUID();
    const reserve = Math.min(LONGEST_RESERVE_MILLIS, millis / 5);
    const own = records.split('\n').length;
    let isConnected = false;
    let isAlive = false;
    let rest = '';
    const socket = connect(path);
    socket.setEncoding('utf8');
    const settle = (end: End) => {
      clearTimeout(probe);
      clearTimeout(over);
      socket.destroy();
      resolve(end);
    };
    const probe = setTimeout(() => isConnected && socket.write(PROBE), Math.max(0, millis - reserve));
    const over = setTimeout(
      () =>
        settle(
          isAlive ? { kind: 'undecided', why: 'late', isLate: true } : { kind: 'silent', why: 'no answer in time' },
        ),
      Math.max(0, millis),
    );
    const read = (text: string) => {
      const line = objectOf(text);
      if (line === undefined) return settle({ kind: 'silent', why: 'not the protocol' });
      if (line.answer === id) return settle({ kind: 'answer', line });
      isAlive ||= line.synced === 'alive';
      const { code, line: at } = (line.error ?? {}) as AnswerLine;
      if (at === own) return settle({ kind: 'undecided', why: String(code), isLate: false });
      if (line.error !== undefined && at === undefined) return settle({ kind: 'lost', why: 'the service is stopping' });
      return undefined;
    };
    socket.on('connect', () => {
      isConnected = true;
      const question = { op: 'ask', id, hook, payload, deadline_ms: Math.max(1, Math.floor(millis - 1.5 * reserve)) };
      socket.write(`${records}${JSON.stringify(question)}\n`);
    });
    socket.on('data', (chunk: string) => {
      const [first = '', ...more] = chunk.split('\n');
      rest += first;
      for (const next of more) {
        const line = rest;
        rest = next;
        read(line);
      }
      if (rest.length > LONGEST_ANSWER) settle({ kind: 'silent', why: 'a line without an end' });
    });
    socket.on('error', ({ message }) => settle({ kind: isConnected ? 'lost' : 'away', why: message }));
    socket.on('close', () => settle({ kind: isConnected ? 'lost' : 'away', why: 'closed' }));
  });
}

function objectOf(text: string): AnswerLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as AnswerLine) : undefined;
  } catch {
    return undefined;
  }
}
