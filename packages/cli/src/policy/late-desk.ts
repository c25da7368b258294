import type { HookRecord } from '@hermes-observer/core';
import type { AskOptions, AskPort, Count, PolicyPort } from '../service/ports.js';
import type { PolicyDesk } from './policy-desk.js';

type Fields = Readonly<Record<string, unknown>>;

/** A policy that is opened once the service listens: its pages have the address. Until then questions wait. */
export class LateDesk implements AskPort, PolicyPort {
  #desk: PolicyDesk | undefined;
  readonly #opened: Promise<PolicyDesk>;
  #resolve: (desk: PolicyDesk) => void = () => undefined;
  /** Seen before it is open. */
  #early: HookRecord[] = [];

  constructor() {
    this.#opened = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get desk(): PolicyDesk | undefined {
    return this.#desk;
  }

  open(desk: PolicyDesk): void {
    desk.saw(this.#early);
    this.#early = [];
    this.#desk = desk;
    this.#resolve(desk);
  }

  saw(records: readonly HookRecord[]): void {
    if (this.#desk === undefined) this.#early.push(...records);
    else this.#desk.saw(records);
  }

  async ask(hook: string, payload: unknown, options: AskOptions): Promise<Fields> {
    const began = performance.now();
    const desk = await this.#opened;
    return desk.ask(hook, payload, {
      ...options,
      timeoutMs: Math.max(1, options.timeoutMs - (performance.now() - began)),
    });
  }

  async operate(operation: Fields): Promise<Fields> {
    return (await this.#opened).operate(operation);
  }

  counts(): readonly Count[] {
    return this.#desk?.counts() ?? [];
  }

  status(): Fields {
    return this.#desk?.status() ?? {};
  }

  async close(): Promise<void> {
    await this.#desk?.close();
  }
}
