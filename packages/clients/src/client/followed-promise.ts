import { isPromise } from '@hermes-observer/adapter';
import type { CallGroup } from './call-group.js';
import { callLinks } from './call-links.js';

type Parse = (client: unknown, props: unknown) => Promise<unknown>;
type Transform = (data: unknown, props: unknown) => unknown;

/** What a client returns, of both packages and all their versions: a promise that reads the answer when asked for it. */
interface ClientPromise {
  responsePromise: Promise<{ response?: unknown }>;
  parseResponse: Parse;
  parsedPromise?: unknown;
  _thenUnwrap?: (transform: Transform) => object;
}

const isClientPromise = (value: object): value is ClientPromise => {
  const { responsePromise, parseResponse } = value as Partial<ClientPromise>;
  return isPromise(responsePromise) && typeof parseResponse === 'function';
};

/**
 * Has the call told of what its promise comes to. The promise stays the same object, and stays as lazy: a failure that nobody
 * looks at is still unhandled, and a body that nobody asks for is not read. False where it is none that can be followed.
 */
export function followPromise(promise: object, group: CallGroup): boolean {
  if (!isClientPromise(promise)) return false;
  const { responsePromise, parseResponse, _thenUnwrap: unwrap } = promise;
  group.promises.push(promise);
  let derived: Promise<{ response?: unknown }> | undefined;
  const derive = () =>
    responsePromise.then(
      (props) => {
        // Whoever asked for the response alone reads it in their own way.
        if (!group.isRead) group.unparsed(props?.response);
        return props;
      },
      (error: unknown) => {
        group.tell((call) => call.failed(error));
        throw error;
      },
    );
  Object.defineProperty(promise, 'responsePromise', {
    get: () => {
      derived ??= derive();
      return derived;
    },
    configurable: true,
    enumerable: true,
  });
  promise.parseResponse = async (client, props) => {
    let value: unknown;
    group.isParsed = true;
    try {
      // Some versions try again here, when the body takes too long.
      value = await callLinks.resume(group, () => parseResponse.call(promise, client, props));
    } catch (error) {
      group.tell((call) => call.failed(error));
      throw error;
    }
    group.parsed(value);
    return value;
  };
  if (unwrap === undefined) return true;
  // Before the answer is changed for the program: what is made of it may throw, which is not the model's fault.
  promise._thenUnwrap = (transform) => {
    const next = unwrap.call(promise, (data, props) => {
      group.parsed(data);
      return transform(data, props);
    });
    followPromise(next, group);
    return next;
  };
  return true;
}
