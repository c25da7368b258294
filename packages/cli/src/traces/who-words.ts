/** Codes of hooks for who blocked or decided. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['plugin_block', 'a plugin'],
  ['guardrail_block', 'a guardrail'],
  ['tool_scope_block', 'the tools that this agent may use'],
  ['aux_llm', 'a model'],
]);
const BLOCK = /^([a-z]+(?:_[a-z]+)*)_block(?:ed)?$/;
const MOST_UNITS = 400;

/** Who blocked or decided, in words; a name that is no known code is what it is. Said of words, they stay the same. */
export function whoWords(by: string): string {
  // A policy's own gate, which asks a person; who refused is named as that.
  if (by.endsWith(':approval')) return 'a question to a person';
  const text = by.slice(0, MOST_UNITS);
  const kind = BLOCK.exec(text)?.[1]?.replaceAll('_', ' ');
  return (
    WORDS.get(text) ??
    (kind === undefined ? text.replaceAll('_', ' ') : `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`)
  );
}
