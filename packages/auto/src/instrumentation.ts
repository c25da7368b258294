import { type AdapterManifest, isInRange, whySilent } from '@hermes-observer/adapter/versions';
import { type EntryPoint, entryPointOf } from './entry-point.js';
import { ADAPTERS, type Adapter, FRAMEWORKS, type Framework } from './frameworks.js';
import type { Report } from './report.js';
import { type AutoSettings, UNTESTED } from './settings.js';

const isWindows = process.platform === 'win32';

/** Whether ES modules can be required: not in all releases, nor where Node.js is told so. */
const canRequire = (process.features as { require_module?: boolean }).require_module === true;

const OBSERVE = './observe.js';

/** Observes frameworks when they are loaded. Nothing of it throws: modules of the program call it. */
export class Instrumentation {
  readonly #settings: AutoSettings;
  readonly #report: Report;
  readonly #require: NodeJS.Require;
  /** Our modules that are imported, by what they are imported by. */
  readonly #imported = new Map<string, unknown>();
  /** Namespaces, and exports of CommonJS files, that were seen. */
  readonly #seen = new WeakSet<object>();
  /** Functions that programs get in place of a framework's. */
  readonly #replacements = new WeakSet<object>();

  constructor(settings: AutoSettings, report: Report) {
    this.#settings = settings;
    this.#report = report;
    this.#require = process.getBuiltinModule('node:module').createRequire(import.meta.url);
  }

  /**
   * Observes what was asked for by name and needs no module: it may be bundled into the program. What cannot be required is
   * imported now, to be there when a framework is.
   */
  begin(): void {
    if (!canRequire) for (const id of [OBSERVE, ...this.#adapters()]) this.#import(id).catch(() => {});
    for (const framework of FRAMEWORKS) {
      if (framework.needsNoModule !== true || this.#settings.only?.has(framework.adapter) !== true) continue;
      this.#with(framework, (adapter) => framework.instrument?.(adapter, undefined));
    }
  }

  /** An ES module of a framework was run. */
  loaded(url: string, namespace: object): void {
    this.#run(url, (found) => this.#observe(found, namespace));
  }

  /** A CommonJS file was run. Returns what is to be got in place of `exports`, if anything is. */
  required(path: string, exports: unknown): unknown {
    if (typeof exports !== 'object' || exports === null) return undefined;
    return this.#run(isWindows ? path.replaceAll('\\', '/') : path, (found) => {
      // Of an ES module that is required: its namespace cannot be changed, unless that was done within it.
      const others = (found.framework.replaces?.names ?? []).flatMap((name) => {
        const original = (exports as Record<string, unknown>)[name];
        const other = this.#replacement(found, name, original);
        return other === original ? [] : [[name, other]];
      });
      const all = others.length === 0 ? exports : { ...exports, ...Object.fromEntries(others) };
      this.#observe(found, all);
      return all === exports ? undefined : all;
    });
  }

  /** An ES module of a framework asks, before it is run to its end, what its exported function is to be. */
  replaced(url: string, name: string, original: unknown): unknown {
    return this.#run(url, (found) => this.#replacement(found, name, original)) ?? original;
  }

  #observe(found: EntryPoint, namespace: object): void {
    const { framework } = found;
    if (this.#seen.has(namespace) || !this.#isWanted(found)) return;
    this.#seen.add(namespace);
    this.#with(framework, (adapter) => {
      framework.instrument?.(adapter, namespace);
      const own = this.#notReplaced(framework, namespace);
      if (own.length === 0) this.#report.observed(nameOf(found));
      else this.#report.left(nameOf(found), `${own.join(', ')} cannot be replaced`);
    });
  }

  /** Names of functions that the program gets as the framework has them. */
  #notReplaced({ replaces }: Framework, namespace: object): string[] {
    const exported = namespace as Readonly<Record<string, unknown>>;
    return (replaces?.names ?? []).filter((name) => {
      const value = exported[name];
      return typeof value === 'function' && !this.#replacements.has(value);
    });
  }

  #replacement(found: EntryPoint, name: string, original: unknown): unknown {
    const { replaces } = found.framework;
    if (typeof original !== 'function' || replaces === undefined) return original;
    if (this.#replacements.has(original) || !this.#isWanted(found)) return original;
    let other: unknown;
    this.#with(found.framework, (adapter) => {
      other = replaces.by(adapter, name, original);
    });
    if (typeof other !== 'function') return original;
    this.#replacements.add(other);
    return other;
  }

  #isWanted(found: EntryPoint): boolean {
    const { framework, version } = found;
    const { only, without, untested } = this.#settings;
    if (without.has(framework.adapter) || only?.has(framework.adapter) === false) {
      this.#report.left(nameOf(found), 'left out');
      return false;
    }
    const manifest: AdapterManifest = this.#require(`@hermes-observer/${framework.adapter}/package.json`);
    const peer = framework.peer ?? framework.package;
    const silent = whySilent(manifest, peer, version);
    if (silent !== undefined) {
      this.#report.left(nameOf(found), silent);
      return false;
    }
    const range = manifest.testedVersions[peer] as string;
    if (untested || isInRange(version, range)) return true;
    this.#report.left(nameOf(found), `tested are ${range}; ${UNTESTED}=on observes it`);
    return false;
  }

  /**
   * Gives the adapter to `use`, and the observer of the process to the adapter: loaded now, before the program goes on. Only
   * while the program itself is importing the same adapter, or where it was not imported in time, that cannot be; then it is a
   * moment later.
   */
  #with(framework: Framework, use: (adapter: Adapter) => void): void {
    const id = `@hermes-observer/${framework.adapter}`;
    const fault = (error: unknown) => this.#report.fault(`${framework.package} is not observed: ${String(error)}`);
    const go = (observe: unknown, adapter: unknown) => {
      (observe as { prepare(): void }).prepare();
      use(adapter as Adapter);
    };
    let modules: [unknown, unknown] | undefined;
    try {
      const load = (one: string): unknown => this.#imported.get(one) ?? this.#require(one);
      modules = [load(OBSERVE), load(id)];
    } catch (error) {
      if (!isRace(error)) {
        fault(error);
        return;
      }
    }
    try {
      if (modules !== undefined) {
        go(...modules);
        return;
      }
      Promise.all([this.#import(OBSERVE), this.#import(id)])
        .then(([one, adapter]) => go(one, adapter))
        .catch(fault);
    } catch (error) {
      fault(error);
    }
  }

  #adapters(): string[] {
    const { only, without } = this.#settings;
    return ADAPTERS.filter((one) => !without.has(one) && only?.has(one) !== false).map(
      (one) => `@hermes-observer/${one}`,
    );
  }

  async #import(id: string): Promise<unknown> {
    const module: unknown = await import(id === OBSERVE ? new URL(OBSERVE, import.meta.url).href : id);
    this.#imported.set(id, module);
    return module;
  }

  #run<T>(path: string, use: (found: EntryPoint) => T): T | undefined {
    try {
      const found = entryPointOf(path);
      return found === undefined ? undefined : use(found);
    } catch (error) {
      this.#report.fault(`failed inside, and goes on: ${String(error)}`);
      return undefined;
    }
  }
}

const nameOf = ({ framework, version }: EntryPoint) => `${framework.package} ${version}`;

/** Node.js cannot require an ES module that is being imported, or none at all if it is told so. Releases say so differently. */
const isRace = (error: unknown) =>
  [
    'ERR_REQUIRE_ESM',
    'ERR_REQUIRE_ESM_RACE_CONDITION',
    'ERR_INTERNAL_ASSERTION',
    'ERR_REQUIRE_CYCLE_MODULE',
    'ERR_REQUIRE_ASYNC_MODULE',
  ].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');
