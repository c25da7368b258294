import { piece } from '../view/piece.js';
import { line, type ScreenLine } from './screen-line.js';
import type { State } from './state.js';

/** The last line: what is typed, else the keys. */
export function footerLine(state: State, keys: string): ScreenLine {
  if (state.input !== undefined) {
    return {
      ...line(piece('/', 'strong'), piece(state.input), piece('_', 'strong')),
      right: [piece(' Enter keeps, Esc clears', 'dim')],
    };
  }
  return { ...line(piece(keys, 'dim')), right: [connectionPiece(state)] };
}

function connectionPiece({ connection }: State) {
  switch (connection) {
    case 'live':
      return piece(' live', 'dim');
    case 'away':
      return piece(' service away, trying again', 'warn');
    case 'starting':
      return piece(' connecting', 'dim');
    case 'files':
      return piece(' files', 'dim');
  }
}

/** What a list is narrowed to, in words. */
export function narrowedText(text: string, choice: string): string {
  return [choice === '' ? '' : `only ${choice}`, text === '' ? '' : `with "${text}"`]
    .filter((part) => part !== '')
    .join(', ');
}
