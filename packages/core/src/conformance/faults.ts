import type { TestExporter, TestObserver } from './scene.js';

/** An observer every part of which throws. */
export function brokenObserver<O extends TestObserver>(): O {
  const broken = (): never => {
    throw new Error('the observer is broken');
  };
  const hub = new Proxy({}, { get: () => broken });
  return new Proxy({}, { get: (_, name) => (name === 'hub' ? hub : broken) }) as O;
}

/** Counts what an adapter asks of an observer, and has one of these uses throw. */
export class FaultyUse {
  uses = 0;
  readonly #failing: number;

  /** @param failing number of the use that throws, from 1; 0: none */
  constructor(failing: number) {
    this.#failing = failing;
  }

  /** The observer as its adapter is to see it. */
  of<O extends TestObserver>(observer: O): O {
    const hub = this.#watched(observer.hub);
    return this.#watched(observer, { hub });
  }

  #watched<T extends object>(target: T, replaced: Readonly<Record<string, unknown>> = {}): T {
    return new Proxy(target, {
      get: (_, name) => {
        if (Object.hasOwn(replaced, name)) return replaced[name as string];
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') {
          this.#use();
          return value;
        }
        return (...args: unknown[]) => {
          this.#use();
          return Reflect.apply(value, target, args) as unknown;
        };
      },
    });
  }

  #use(): void {
    this.uses++;
    if (this.uses === this.#failing) throw new Error(`use ${this.uses} of the observer failed`);
  }
}

type Done = Parameters<TestExporter['export']>[1];

/** Exporters whose backend is away: one says so, one throws, one answers nothing until it is told to. */
export class AwayExporters {
  readonly #waiting: (() => void)[] = [];
  #isBack = false;

  get all(): TestExporter[] {
    const exporter = (take: (done: Done) => void): TestExporter => ({
      export: (_, done) => take(done),
      forceFlush: async () => {},
      shutdown: async () => {},
    });
    const error = new Error('the backend is away');
    return [
      exporter((done) => done({ code: 1, error })),
      exporter(() => {
        throw error;
      }),
      exporter((done) => {
        const answer = () => done({ code: 1, error });
        if (this.#isBack) answer();
        else this.#waiting.push(answer);
      }),
    ];
  }

  /** The one that waits answers, from now on at once. */
  answer(): void {
    this.#isBack = true;
    for (const done of this.#waiting.splice(0)) done();
  }
}

/** Room for two spans: nearly all find the queue full. */
export const FULL_QUEUE = { OTEL_BSP_MAX_QUEUE_SIZE: '2', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1' };

/** Which of `uses` fail, one a play: at most `most`, over all of them alike. */
export function spread(uses: number, most: number): number[] {
  if (uses <= most) return Array.from({ length: uses }, (_, i) => i + 1);
  return Array.from({ length: most }, (_, i) => 1 + Math.floor((i * (uses - 1)) / Math.max(1, most - 1)));
}
