import { Hub } from '@hermes-observer/core';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { createObserver } from '../observer/create-observer.js';
import type { Observer } from '../observer/observer.js';
import type { ObserverOptions } from '../observer/options.js';

/** Makes the context manager of Node's SDK the global one; returns what takes it away again. */
export function useContextManager(): () => void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return () => context.disable();
}

/** An observer whose spans stay in memory. */
export class Scene {
  readonly exporter = new InMemorySpanExporter();
  readonly observer: Observer;
  /** Hooks that went out, in order. */
  readonly hooks: { readonly hook: string; readonly payload: Readonly<Record<string, unknown>> }[] = [];

  constructor(options: ObserverOptions = {}) {
    // Failures that tests bring about are told of nowhere.
    const hub = new Hub({ onError: () => {} });
    this.observer = createObserver({ exporters: [this.exporter], env: {}, onWarning: () => {}, hub, ...options });
    this.hub.on('*', (payload, meta) => {
      this.hooks.push({ hook: meta.hook, payload: payload as Readonly<Record<string, unknown>> });
    });
  }

  get hub(): Hub {
    return this.observer.hub;
  }

  async spans(): Promise<ReadableSpan[]> {
    await this.observer.flush();
    return this.exporter.getFinishedSpans();
  }

  /** The span of this name; the first if there are several. */
  async span(name: string): Promise<ReadableSpan> {
    const spans = await this.spans();
    const found = spans.find((span) => span.name === name);
    if (found === undefined) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(', ')}`);
    return found;
  }

  /** Names of all spans as an indented tree, siblings in order of their names. */
  async tree(): Promise<string[]> {
    return treeOf(await this.spans());
  }

  payloads(hook: string): Readonly<Record<string, unknown>>[] {
    return this.hooks.filter((call) => call.hook === hook).map(({ payload }) => payload);
  }
}

export function treeOf(spans: readonly ReadableSpan[]): string[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const below = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter(({ parentSpanContext }) =>
        parent === undefined ? !ids.has(parentSpanContext?.spanId ?? '') : parentSpanContext?.spanId === parent,
      )
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((span) => ['  '.repeat(depth) + span.name, ...below(span.spanContext().spanId, depth + 1)]);
  return below(undefined, 0);
}

export const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis));

/** What a promise rejects with, as it is. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => {
      throw new Error(`resolved to ${String(value)}`);
    },
    (error: unknown) => error,
  );
