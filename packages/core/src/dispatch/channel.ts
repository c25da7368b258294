import type { Channel } from 'node:diagnostics_channel';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { HookMeta, Payload } from '../contract/record.js';
import { isThenable, settle } from './thenable.js';
import { deliverAll } from './waiting.js';

/** What goes out on the diagnostics channel of a hook. */
export interface HookMessage {
  hook: string;
  payload: Payload;
  meta: HookMeta;
}

/** Name of the `node:diagnostics_channel` channel that carries a hook of every hub in the process. */
export function channelName(hook: string): string {
  return `hermes.observer:${hook}`;
}

export function hookChannel(hook: string): Channel {
  return channel(channelName(hook));
}

/**
 * Subscribes to a hook of every hub in this process, of any copy of this package, without a reference to one. Returns
 * the function that ends it.
 *
 * Prefer this to `diagnostics_channel.subscribe`: there, Node raises what a subscriber throws as an uncaught exception
 * on the next tick, which ends the process by default, and no publisher can prevent it. Here a throw or a rejection
 * goes to `onError`; without one it is dropped.
 */
export function onHookChannel(
  hook: string,
  callback: (message: HookMessage) => unknown,
  onError: (error: unknown) => void = ignore,
): () => void {
  const guarded = (message: unknown): void => {
    try {
      const returned = callback(message as HookMessage);
      if (isThenable(returned)) settle(returned, undefined, (error) => safely(onError, error));
    } catch (error) {
      safely(onError, error);
    }
  };
  const name = channelName(hook);
  // What was called before is none of its business; what is called until it ends is.
  deliverAll();
  subscribe(name, guarded);
  return () => {
    deliverAll();
    unsubscribe(name, guarded);
  };
}

function safely(onError: (error: unknown) => void, error: unknown): void {
  try {
    onError(error);
  } catch {
    // Nothing a subscriber does reaches the host, its error handler included.
  }
}

function ignore(): void {}
