import type { Guard } from '@hermes-observer/adapter';

/** Told what comes of a query. May throw. */
export interface QueryListener {
  message(message: unknown): void;
  interrupts(): void;
  ended(error?: unknown): void;
}

type Step = IteratorResult<unknown, unknown>;
type Method = (...args: unknown[]) => unknown;

interface Waiting {
  resolve(step: Step | PromiseLike<Step>): void;
  reject(error: unknown): void;
}

/**
 * Has `listener` told of the messages of a query when they come, whether or not the program reads them by then: the SDK itself
 * reads on and keeps them, as is done here. The query stays the same object. Messages that `hides` names the program does not get.
 */
export function followQuery(
  query: object,
  listener: QueryListener,
  hides: (message: unknown) => boolean,
  guard: Guard,
): void {
  const target = query as Record<PropertyKey, unknown>;
  const source = (target[Symbol.asyncIterator] as (() => AsyncGenerator) | undefined)?.call(query);
  if (typeof source?.next !== 'function') return;
  const read = source.next.bind(source);
  const messages: unknown[] = [];
  const waiting: Waiting[] = [];
  let end: { error: unknown } | 'done' | undefined;

  const finish = (as: { error: unknown } | 'done') => {
    if (end === undefined || waiting.length > 0) end = as;
    guard.safely(() => listener.ended(typeof as === 'object' ? as.error : undefined));
    for (const one of waiting.splice(0)) one.resolve(next());
  };
  const asked: Promise<Step>[] = [];
  const pump = async () => {
    try {
      for (;;) {
        const step = await (asked.shift() ?? read());
        if (step.done === true) break;
        guard.safely(() => listener.message(step.value));
        if (guard.safely(() => hides(step.value)) === true) continue;
        const first = waiting.shift();
        if (first === undefined) {
          if (end === undefined) messages.push(step.value);
        } else first.resolve({ done: false, value: step.value });
      }
    } catch (error) {
      finish({ error });
      return;
    }
    finish('done');
  };

  const next = (): Promise<Step> => {
    if (messages.length > 0) return Promise.resolve({ done: false, value: messages.shift() });
    if (end === undefined) return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    // As a generator: it throws once.
    const { error } = end === 'done' ? {} : end;
    const throws = end !== 'done';
    end = 'done';
    return throws ? Promise.reject(error) : Promise.resolve({ done: true, value: undefined });
  };
  const left = (name: 'return' | 'throw'): Method => {
    const original = (target[name] as Method).bind(query);
    return (value) => {
      messages.length = 0;
      end = 'done';
      if (waiting.length === 0) guard.safely(() => listener.ended());
      // Reads that are under way were asked for before, so a generator answers them first. One of them is asked of it already.
      for (let i = 1; i < waiting.length; i++) {
        const step = read();
        step.catch(() => {});
        asked.push(step);
      }
      return original(value);
    };
  };
  const replaced: Record<PropertyKey, unknown> = {
    next,
    return: left('return'),
    throw: left('throw'),
    [Symbol.asyncIterator]: () => query,
  };
  if (typeof target.interrupt === 'function') {
    const interrupt = target.interrupt as Method;
    replaced.interrupt = (...args: unknown[]) => {
      guard.safely(() => listener.interrupts());
      return interrupt.apply(query, args);
    };
  }
  for (const name of Reflect.ownKeys(replaced)) {
    Object.defineProperty(query, name, { value: replaced[name], configurable: true, writable: true });
  }
  void pump();
}
