import { homedir } from 'node:os';
import { valuesAt } from '../../hooks/arg-path.js';
import { configError } from '../../hooks/config-error.js';
import type { HookAnswer, HookContext } from '../../hooks/hook.js';
import { argPathsOf, BuiltinHook, type BuiltinSettings, block, choiceOf } from '../builtin-hook.js';
import { PathList } from './path-list.js';
import { type PathBase, pathReadings, UnreadablePath } from './path-readings.js';

export interface PathGuardOptions extends BuiltinSettings {
  /** Where paths of files stand in the arguments: `path`, `edits[*].file`. A list of paths there is looked through. */
  readonly paths: string | readonly string[];
  /** All paths have to be in one of these: folders with all below them, or globs over whole paths (`*` stands for `/` too). @default anywhere */
  readonly allow?: readonly string[] | undefined;
  /** None may be in one of these, in any capitals, nor be named so. What is above them is not denied. @default none */
  readonly deny?: readonly string[] | undefined;
  /** Folder that relative paths are of. @default the working folder of this process */
  readonly cwd?: string | undefined;
  /** What `~` stands for. @default the home of the user of this process */
  readonly home?: string | undefined;
  /** What counts when a call has no path at all. @default 'deny' */
  readonly missing?: 'deny' | 'allow' | undefined;
}

/** In one call: each of them is looked up on the disk. */
const MOST_PATHS = 1000;

/**
 * Keeps tools inside of some folders, or out of some. Follows links and `..` both as programs and as the kernel do.
 *
 * It looks before the tool opens the file: who can swap a link in between, make a hard link or mount something, gets around
 * it. Against programs that run on the same machine, use the permissions of the machine.
 */
export class PathGuard extends BuiltinHook {
  readonly #paths: ReturnType<typeof argPathsOf>;
  readonly #allow: PathList | undefined;
  readonly #deny: PathList | undefined;
  readonly #base: PathBase;
  readonly #missing: 'deny' | 'allow';

  /** @throws ObserverError `HO_POLICY_CONFIG`. */
  constructor(options: PathGuardOptions) {
    super('PathGuard', 'PreToolUse', options, ['paths', 'allow', 'deny', 'cwd', 'home', 'missing']);
    const where = (field: string) => `\`${field}\` of ${this.name}`;
    const { allow, deny, home = homedir(), cwd = process.cwd() } = options;
    if (allow === undefined && deny === undefined) throw configError(`${this.name} needs \`allow\` or \`deny\`.`);
    if (Array.isArray(allow) && allow.length === 0) throw configError(`${where('allow')} is empty: nothing could run.`);
    if (!cwd.startsWith('/')) throw configError(`${where('cwd')} must be absolute.`);
    this.#paths = argPathsOf(options.paths, where('paths'));
    this.#allow = allow === undefined ? undefined : new PathList(allow, where('allow'), false, home);
    this.#deny = deny === undefined ? undefined : new PathList(deny, where('deny'), true, home);
    this.#base = { cwd, home };
    this.#missing = choiceOf(options.missing ?? 'deny', ['deny', 'allow'], where('missing'));
  }

  async execute({ args }: HookContext): Promise<HookAnswer> {
    let seen = 0;
    for (const { path, steps } of this.#paths) {
      for (const value of valuesAt(args, steps).flatMap((found) =>
        Array.isArray(found) ? (found as unknown[]) : [found],
      )) {
        if (++seen > MOST_PATHS) return block(`There are more than ${MOST_PATHS} paths of files in the arguments.`);
        if (typeof value !== 'string') return block(`\`${path}\` is no path of a file.`);
        const fault = await this.#faultOf(value);
        if (fault !== undefined) return block(`\`${path}\` ${fault}.`);
      }
    }
    return seen > 0 || this.#missing === 'allow' ? undefined : block('There is no path of a file in the arguments.');
  }

  async #faultOf(text: string): Promise<string | undefined> {
    try {
      const { places, names } = await pathReadings(text, this.#base);
      for (const path of new Set([...places, ...names])) {
        if (await this.#deny?.has(path)) return 'leads to a place that is denied';
      }
      for (const place of places) {
        if ((await this.#allow?.has(place)) === false) return 'leads out of the folders that are allowed';
      }
      return undefined;
    } catch (error) {
      if (error instanceof UnreadablePath) return error.message;
      throw error;
    }
  }
}
