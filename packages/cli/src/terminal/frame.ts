/** What a terminal shows, so that a new frame writes only the lines that are other. */
export class Frame {
  #shown: readonly string[] = [];

  /** Nothing is known of what is shown: all is written again. */
  forget(): void {
    this.#shown = [];
  }

  /**
   * What brings the terminal to these lines; `''` where it shows them already. A terminal that knows how shows all of it at once.
   * @param lines one for each row, none wider than the terminal
   */
  update(lines: readonly string[]): string {
    let text = '';
    for (const [row, line] of lines.entries()) {
      if (this.#shown[row] !== line) text += `\x1b[${row + 1};1H\x1b[K${line}`;
    }
    const isFirst = this.#shown.length === 0;
    this.#shown = lines;
    if (text === '') return '';
    return `\x1b[?2026h${isFirst ? '\x1b[2J' : ''}${text}\x1b[?2026l`;
  }
}
