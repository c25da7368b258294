import { ObserverError } from '../errors.js';
import type { FailureLog } from './failures.js';
import { isThenable, settle } from './thenable.js';

/** A named set of subscriptions that comes and goes as one. */
export interface Plugin<Host> {
  /** Unique in a hub. */
  name: string;
  /**
   * Registers through the hub it is given, which belongs to this plugin. May return a function to be called when the
   * plugin is removed. May be async; then a rejection removes the plugin and is reported.
   */
  setup(hub: Host): unknown;
}

/** Undoes one plugin: its registrations, then its own clean-up. */
class Installed {
  readonly name: string;
  removed = false;
  readonly #undo: (() => void)[] = [];
  readonly #failures: FailureLog;

  constructor(name: string, failures: FailureLog) {
    this.name = name;
    this.#failures = failures;
  }

  /** Keeps `undo` for the removal. After it, undoes at once: a plugin that is gone registers nothing. */
  track(undo: () => void): () => void {
    if (this.removed) undo();
    else this.#undo.push(undo);
    return undo;
  }

  onRemove(cleanup: unknown): void {
    if (typeof cleanup !== 'function') return;
    const run = (): void => {
      try {
        const returned: unknown = cleanup();
        if (isThenable(returned)) settle(returned, undefined, (error) => this.#fail(error));
      } catch (error) {
        this.#fail(error);
      }
    };
    if (this.removed) run();
    else this.#undo.push(run);
  }

  remove(): void {
    this.removed = true;
    for (const undo of this.#undo.splice(0)) undo();
  }

  #fail(error: unknown): void {
    this.#failures.add('plugin', 'plugin', this.name, error);
  }
}

/** The plugins of a hub by name. */
export class PluginTable<Host> {
  readonly #installed = new Map<string, Installed>();
  readonly #failures: FailureLog;
  readonly #scope: (name: string, track: (undo: () => void) => () => void) => Host;

  /** `scope` makes the hub that one plugin gets; it passes each registration's end to `track`. */
  constructor(failures: FailureLog, scope: (name: string, track: (undo: () => void) => () => void) => Host) {
    this.#failures = failures;
    this.#scope = scope;
  }

  get names(): string[] {
    return [...this.#installed.keys()];
  }

  use(plugin: Plugin<Host>): () => void {
    const name: unknown = plugin?.name;
    if (typeof name !== 'string' || name === '') {
      throw new ObserverError('HO_PLUGIN_NAME', 'A plugin needs a name: use({ name, setup }).');
    }
    if (this.#installed.has(name)) {
      throw new ObserverError(
        'HO_PLUGIN_NAME',
        `A plugin named ${name} is in use; remove it first or choose another name.`,
      );
    }
    const installed = new Installed(name, this.#failures);
    this.#installed.set(name, installed);
    try {
      this.#follow(installed, plugin.setup(this.#scope(name, (undo) => installed.track(undo))));
    } catch (cause) {
      this.#drop(installed);
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new ObserverError('HO_PLUGIN_SETUP', `Plugin ${name} could not be set up: ${why}`, { cause });
    }
    return () => this.#drop(installed);
  }

  /** False when no plugin has that name. */
  remove(name: string): boolean {
    const installed = this.#installed.get(name);
    if (installed === undefined) return false;
    this.#drop(installed);
    return true;
  }

  #follow(installed: Installed, returned: unknown): void {
    if (!isThenable(returned)) {
      installed.onRemove(returned);
      return;
    }
    settle(
      returned,
      (cleanup) => installed.onRemove(cleanup),
      (error) => {
        this.#drop(installed);
        this.#failures.add('plugin', 'plugin', installed.name, error);
      },
    );
  }

  #drop(installed: Installed): void {
    if (installed.removed) return;
    if (this.#installed.get(installed.name) === installed) this.#installed.delete(installed.name);
    installed.remove();
  }
}
