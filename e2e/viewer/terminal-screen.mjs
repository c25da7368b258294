// What a terminal would show of what it is sent. It knows just what the viewer may send: anything else is a fault.

// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals are sent
const KNOWN = /^\x1b\[(?:(\d+);(\d+)H|(\d*)K|2J|[\d;]*m|\?(\d+)([hl]))/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals are sent
const UNFINISHED = /^\x1b(\[[\d;?]*)?$/;

export class TerminalScreen {
  /** Modes that are on, by number: 1049 the other screen, 25 a cursor, 7 long lines go on. */
  modes = new Map([
    [25, true],
    [7, true],
    [1049, false],
  ]);
  /** What a terminal must never be sent. */
  faults = [];
  bytes = 0;
  /** Frames: what was sent between the marks of one. */
  frames = 0;
  #rest = '';
  #row = 0;
  #column = 0;
  #decoder = new TextDecoder();

  constructor(columns, rows) {
    this.resize(columns, rows);
  }

  resize(columns, rows) {
    this.columns = columns;
    this.rows = rows;
    this.#clear();
  }

  get lines() {
    return this.cells.map((row) => row.join('').trimEnd());
  }

  get text() {
    return this.lines.join('\n');
  }

  push(bytes) {
    this.bytes += bytes.length;
    let text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    this.#rest = '';
    while (text !== '') {
      if (text[0] !== '\x1b') {
        const end = text.indexOf('\x1b');
        const plain = end === -1 ? text : text.slice(0, end);
        this.#print(plain);
        text = text.slice(plain.length);
        continue;
      }
      const found = KNOWN.exec(text);
      if (found === null) {
        if (UNFINISHED.test(text)) {
          this.#rest = text;
          return;
        }
        this.faults.push(`escape ${JSON.stringify(text.slice(0, 12))}`);
        text = text.slice(1);
        continue;
      }
      this.#obey(found);
      text = text.slice(found[0].length);
    }
  }

  #obey([whole, row, column, , mode, on]) {
    if (row !== undefined) {
      this.#row = Number(row) - 1;
      this.#column = Number(column) - 1;
      if (this.#row >= this.rows) this.faults.push(`line ${row} of ${this.rows}`);
    } else if (whole.endsWith('K')) this.cells[this.#row]?.fill(' ', this.#column);
    else if (whole.endsWith('J')) this.#clear();
    else if (mode !== undefined) {
      this.modes.set(Number(mode), on === 'h');
      if (mode === '2026' && on === 'h') this.frames++;
      // What stands on the screen that was there before is not known.
      if (mode === '1049') this.#clear();
    }
  }

  #print(text) {
    for (const { segment } of new Intl.Segmenter().segment(text)) {
      if (segment === '\n' || segment === '\r' || segment === '\r\n') continue;
      if (/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f]/u.test(segment)) {
        this.faults.push(`character ${JSON.stringify(segment)}`);
        continue;
      }
      if (this.#column >= this.columns) {
        this.faults.push(`too wide: ${JSON.stringify(this.lines[this.#row])}`);
        continue;
      }
      const row = this.cells[this.#row];
      if (row !== undefined) row[this.#column] = segment;
      this.#column +=
        /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u.test(
          segment,
        )
          ? 2
          : 1;
    }
  }

  #clear() {
    this.cells = Array.from({ length: this.rows }, () => new Array(this.columns).fill(' '));
  }
}
