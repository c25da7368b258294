import type { Word, WordPart } from 'unbash';
import { known, type ShellWord } from './shell-word.js';

/** Collects a word from its parts: known text until the first part that is not. */
interface Draft {
  prefix: string;
  isKnown: boolean;
  count: ShellWord['count'];
}

/** What is known of a word. `home`: what an unquoted `~` at its start stands for. */
export function readWord(word: Word, home: string | undefined): ShellWord {
  const draft: Draft = { prefix: '', isKnown: true, count: 'one' };
  const tilde = /^~([^/]*)/.exec(word.text);
  if (tilde !== null) {
    // `~name`, `~+` and `~-` are other folders, which nobody here knows.
    if (tilde[1] !== '' || home === undefined) return { text: undefined, prefix: '', count: 'one' };
    draft.prefix = home;
  }
  if (word.parts === undefined) {
    const text = draft.prefix + word.value.slice(tilde === null ? 0 : 1);
    return known(text);
  }
  word.parts.forEach((part, i) => {
    addPart(draft, part, i === 0 && tilde !== null ? 1 : 0);
  });
  return draft.isKnown ? known(draft.prefix) : { text: undefined, prefix: draft.prefix, count: draft.count };
}

function addText(draft: Draft, text: string): void {
  if (draft.isKnown) draft.prefix += text;
}

function addPart(draft: Draft, part: WordPart, skip: number): void {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      addText(draft, part.value.slice(skip));
      return;
    case 'DoubleQuoted':
    case 'LocaleString':
      for (const child of part.parts) {
        if (child.type === 'Literal') addText(draft, child.value);
        else {
          draft.isKnown = false;
          // `"$@"` and `"${list[@]}"` are several words in spite of the quotes.
          if (/@/.test(child.text)) draft.count = 'any';
        }
      }
      return;
    case 'ProcessSubstitution':
      addText(draft, '/dev/fd/');
      draft.isKnown = false;
      return;
    case 'ArithmeticExpansion':
      draft.isKnown = false;
      return;
    case 'Glob':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      draft.isKnown = false;
      if (draft.count === 'one') draft.count = 'alike';
      return;
    default:
      // Variables and commands outside of quotes: what they give is split into words.
      draft.isKnown = false;
      draft.count = 'any';
  }
}
