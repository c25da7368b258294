import type { Palette } from '../view/palette.js';
import { fit, type Piece, widthOf } from '../view/piece.js';

/** One line of the screen, its texts safe. */
export interface ScreenLine {
  readonly pieces: readonly Piece[];
  /** At the right end. */
  readonly right?: readonly Piece[];
  readonly isSelected?: boolean;
}

export const line = (...pieces: readonly Piece[]): ScreenLine => ({ pieces });
export const EMPTY_LINE: ScreenLine = { pieces: [] };

/** A line as text of exactly `width` columns. */
export function lineText({ pieces, right = [], isSelected = false }: ScreenLine, width: number, looks: Looks): string {
  const palette = isSelected ? looks.selected : looks.palette;
  const end = Math.min(widthOf(right), Math.max(0, width - 1));
  const text = fit(pieces, width - end, palette) + (end === 0 ? '' : fit(right, end, palette));
  return isSelected ? looks.select(text) : text;
}

export interface Looks {
  readonly palette: Palette;
  /** Within the selected line, whose own colours would be lost in others. */
  readonly selected: Palette;
  readonly select: (line: string) => string;
}
