import { StringDecoder } from 'node:string_decoder';

/** A key by its name, or the character that was typed. */
export type Key =
  | { readonly name: KeyName; readonly text?: undefined }
  | { readonly name: 'text'; readonly text: string };

type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'interrupt'
  | 'suspend'
  | 'redraw';

const FINALS: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
};
const NUMBERED: Readonly<Record<string, KeyName>> = {
  1: 'home',
  4: 'end',
  5: 'page-up',
  6: 'page-down',
  7: 'home',
  8: 'end',
};
const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\x02': 'page-up',
  '\x03': 'interrupt',
  '\x04': 'page-down',
  '\x06': 'page-down',
  '\x08': 'backspace',
  '\x0c': 'redraw',
  '\n': 'enter',
  '\r': 'enter',
  '\x15': 'page-up',
  '\x1a': 'suspend',
  '\x7f': 'backspace',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals send these
const SEQUENCE = /^\x1b(?:\[([0-?]*)[ -/]*([@-~])|O([ -~]))/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals send these
const UNFINISHED = /^\x1b(?:\[[ -?]{0,32}|O)?$/;
/** A sequence comes at once, or over a slow line nearly so; Esc stands alone. */
const ESCAPE_MILLIS = 50;

/** Makes keys of what a terminal in raw mode sends. Sequences that nobody knows are dropped whole. */
export class KeyReader {
  readonly #onKey: (key: Key) => void;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(onKey: (key: Key) => void) {
    this.#onKey = onKey;
  }

  push(bytes: Buffer): void {
    clearTimeout(this.#timer);
    this.#rest += this.#decoder.write(bytes);
    while (this.#rest !== '' && !UNFINISHED.test(this.#rest)) this.#next();
    if (this.#rest !== '') this.#timer = setTimeout(() => this.#giveUp(), ESCAPE_MILLIS);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#rest = '';
  }

  #next(): void {
    const sequence = SEQUENCE.exec(this.#rest);
    if (sequence !== null) {
      this.#rest = this.#rest.slice(sequence[0].length);
      const [, numbers = '', final, single] = sequence;
      const name = single === 'M' ? 'enter' : sequenceName(numbers, final ?? single ?? '');
      if (name !== undefined) this.#onKey({ name });
      return;
    }
    const character = String.fromCodePoint(this.#rest.codePointAt(0) ?? 0);
    this.#rest = this.#rest.slice(character.length);
    if (character === '\x1b') this.#onKey({ name: 'escape' });
    else if (CONTROLS[character] !== undefined) this.#onKey({ name: CONTROLS[character] });
    else if (character >= ' ' && !/[\u0080-\u009f]/.test(character)) this.#onKey({ name: 'text', text: character });
  }

  /** What began like a sequence and goes on with nothing: Esc if it stands alone. */
  #giveUp(): void {
    const isEscape = this.#rest === '\x1b';
    this.#rest = '';
    if (isEscape) this.#onKey({ name: 'escape' });
  }
}

/** Marks before the numbers are of reports and of the mouse. */
function sequenceName(numbers: string, final: string): KeyName | undefined {
  if (!/^[\d;]*$/.test(numbers)) return undefined;
  return final === '~' ? NUMBERED[numbers.split(';', 1)[0] ?? ''] : FINALS[final];
}
