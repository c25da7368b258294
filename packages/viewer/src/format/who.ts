import { visibleLine } from './visible-text.js';

/** Codes of hooks for who blocked or decided. */
const WORDS: Readonly<Record<string, string>> = {
  plugin_block: 'a plugin',
  guardrail_block: 'a guardrail',
  tool_scope_block: 'the tools that this agent may use',
  aux_llm: 'a model',
};
const BLOCK = /^([a-z]+(?:_[a-z]+)*)_block(?:ed)?$/;

/** Who blocked or decided, in words; a name that is no known code is what it is. */
export function whoBlocked(by: string): string {
  // A policy's own gate, which asks a person; who refused is named as that.
  if (by.endsWith(':approval')) return 'a question to a person';
  const words = Object.hasOwn(WORDS, by) ? WORDS[by] : undefined;
  const kind = BLOCK.exec(by)?.[1]?.replaceAll('_', ' ');
  return (
    words ??
    (kind === undefined ? visibleLine(by, 80).replaceAll('_', ' ') : `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`)
  );
}
