import { snapshot } from '@hermes-observer/core';
import { configError } from '../../hooks/config-error.js';
import type { HookAnswer, HookContext } from '../../hooks/hook.js';
import { BuiltinHook, type BuiltinSettings, positiveOf } from '../builtin-hook.js';
import { cutValue, parseStructure } from './cut-json.js';
import { cutText } from './cut-text.js';

export interface ResultTruncateOptions extends BuiltinSettings {
  /** Characters (UTF-16 units) of a result, of its JSON text where it is no text. At least 200. @default 8000 */
  readonly maxCharacters?: number | undefined;
}

const LEAST = 200;
/** Before a log of results, behind hooks that change them. */
const PRIORITY = 900;

/**
 * Shortens results that are too long for a model. JSON stays JSON, also inside of texts: long texts lose their middle, long
 * lists theirs, and a mark says what was left out. What cannot be put as JSON is copied first, as `snapshot` does.
 */
export class ResultTruncate extends BuiltinHook {
  readonly #max: number;

  /** @throws ObserverError `HO_POLICY_CONFIG`. */
  constructor(options: ResultTruncateOptions = {}) {
    super('ResultTruncate', 'PostToolUse', { priority: PRIORITY, ...options }, ['maxCharacters']);
    this.#max = positiveOf(options.maxCharacters ?? 8000, `\`maxCharacters\` of ${this.name}`);
    if (this.#max < LEAST) throw configError(`\`maxCharacters\` of ${this.name} must be ${LEAST} at least.`);
  }

  execute({ result }: HookContext): HookAnswer {
    if (typeof result === 'string') {
      if (result.length <= this.#max) return undefined;
      const structure = parseStructure(result);
      return {
        modifiedResult:
          structure === undefined ? cutText(result, this.#max) : JSON.stringify(cutValue(structure, this.#max)),
      };
    }
    if (typeof result !== 'object' || result === null) return undefined;
    const json = jsonOf(result);
    if (json !== undefined && json.length <= this.#max) return undefined;
    const value: unknown = json === undefined ? snapshot(result, { bytes: 16 * this.#max }) : JSON.parse(json);
    return { modifiedResult: cutValue(value, this.#max) };
  }
}

function jsonOf(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
