import type { TestObserver } from './scene.js';

/** An observer every part of which throws. */
export function brokenObserver<O extends TestObserver>(): O {
  const broken = (): never => {
    throw new Error('the observer is broken');
  };
  const hub = new Proxy({}, { get: () => broken });
  return new Proxy({}, { get: (_, name) => (name === 'hub' ? hub : broken) }) as O;
}

/** What a play came to: its value, or the name and message of what it threw. */
export async function outcomeOf(play: () => unknown): Promise<unknown> {
  try {
    return { value: await play() };
  } catch (error) {
    return { error: error instanceof Error ? `${error.name}: ${error.message}` : error };
  }
}
