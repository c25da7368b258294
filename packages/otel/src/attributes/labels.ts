import { redactText } from '@hermes-observer/core';
import type { Capture } from './capture.js';
import { label } from './values.js';

// What may stay of a short text that is no content by its place, but could hold some: nothing keeps an agent or a plugin
// from putting a key where a name belongs.

/** Stands for a text that may not leave. */
export const OTHER = '_OTHER';

/** A word a program chose: a class name, a code, a slug. Anything with spaces may be somebody's text. */
const WORD = /^[\w.:$/-]{1,128}$/;
/** The name of a model, a surface, a profile: no spaces, quotes, brackets of code or control characters. */
const NAME = /^[^\p{C}\p{Z}"`{}[\]\\]{1,128}$/u;
/** The name of a tool, a rule or a role, which may be several words of one line. */
const PHRASE = /^[^\p{C}\p{Zl}\p{Zp}"`{}[\]\\]{1,128}$/u;
/** As long as a key that no vendor marked, with all that random letters and digits have. */
const RUN = /[A-Za-z0-9+=]{32,}|(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;

const isRandom = (text: string) =>
  text.length >= 32 && (text.match(RUN) ?? []).some((run) => /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run));

/** Whether a text is without secrets and personal data, as far as its form tells. */
export const isClean = (text: string): boolean => !isRandom(text) && redactText(text) === text;

/** Whether a text is a word that hides nothing. */
export const isWord = (text: string): boolean => WORD.test(text) && isClean(text);

/** Answers by text. Agents use few labels, so they are kept; cleared when full, since a hostile agent sends ever new ones. */
class Kept {
  readonly #rule: (text: string) => string;
  readonly #known = new Map<string, string>();
  // The two that were asked for last: the tools of an agent take turns, and a look into the map costs more.
  #last = '';
  #lastKept = '';
  #before = '';
  #beforeKept = '';

  constructor(rule: (text: string) => string) {
    this.#rule = rule;
  }

  of(text: string): string {
    if (text === this.#last) return this.#lastKept;
    if (text === this.#before) return this.#beforeKept;
    const kept = this.#known.get(text) ?? this.#add(text);
    this.#before = this.#last;
    this.#beforeKept = this.#lastKept;
    this.#last = text;
    this.#lastKept = kept;
    return kept;
  }

  #add(text: string): string {
    const kept = this.#rule(text);
    if (text.length > 256) return kept;
    if (this.#known.size >= 1024) this.#known.clear();
    this.#known.set(text, kept);
    return kept;
  }
}

const masked = new Kept((text) => label(redactText(label(text) ?? '')) ?? OTHER);
const words = new Kept((text) => (isWord(text) ? text : OTHER));
const names = new Kept((text) => (NAME.test(text) && isClean(text) ? text : OTHER));
const phrases = new Kept((text) => (PHRASE.test(text) && isClean(text) ? text : OTHER));

/** A type of error, reason, status or choice as it may leave: with content off only a word, else without secrets. */
export function typeLabel(type: string, capture: Capture): string {
  if (capture === 'full') return label(type) ?? OTHER;
  return (capture === 'none' ? words : masked).of(type);
}

/** The same of a field of a record, which may hold anything. */
export function wordLabel(value: unknown, capture: Capture): string | undefined {
  return typeof value === 'string' && value !== '' ? typeLabel(value, capture) : undefined;
}

/** A name as it may leave: with content off a short one without spaces, and never with a secret in it. */
export function nameLabel(value: unknown, capture: Capture): string | undefined {
  if (capture === 'full' || typeof value !== 'string' || value === '') return label(value);
  return (capture === 'none' ? names : masked).of(value);
}

/** The same for names of several words: of tools, rules, roles and agents. */
export function phraseLabel(value: unknown, capture: Capture): string | undefined {
  if (capture === 'full' || typeof value !== 'string' || value === '') return label(value);
  return (capture === 'none' ? phrases : masked).of(value);
}

/** A name that is the same in most spans of an agent (a model, a provider): the last one is remembered. */
export class RepeatedName {
  #value: unknown = undefined;
  #capture: Capture | undefined = undefined;
  #label: string | undefined = undefined;

  of(value: unknown, capture: Capture): string | undefined {
    if (value !== this.#value || capture !== this.#capture) {
      this.#label = nameLabel(value, capture);
      this.#value = value;
      this.#capture = capture;
    }
    return this.#label;
  }
}
