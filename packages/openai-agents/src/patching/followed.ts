import { isPromise } from '@hermes-observer/adapter';

/** Told how a call went. May not throw. */
export interface Follower {
  done(value: unknown): void;
  failed(error: unknown): void;
}

/** Calls `call` once, and tells when it is through: at once, or when its promise is. Gives and throws what it does. */
export function followed(call: () => unknown, follower: Follower): unknown {
  let result: unknown;
  try {
    result = call();
  } catch (error) {
    follower.failed(error);
    throw error;
  }
  if (!isPromise(result)) {
    follower.done(result);
    return result;
  }
  return result.then(
    (value) => {
      follower.done(value);
      return value;
    },
    (error: unknown) => {
      follower.failed(error);
      throw error;
    },
  );
}
