import { cutToWidth, displayWidth } from './display-width.js';
import { escapeText } from './escape.js';
import type { Palette, Tone } from './palette.js';

/** A bit of text with its tone. Made by `piece` alone, so that no raw text of a span ever reaches the terminal. */
export interface Piece {
  readonly text: string;
  readonly tone: Tone;
  readonly width: number;
}

export function piece(text: string, tone: Tone = 'plain'): Piece {
  const safe = escapeText(text);
  return { text: safe, tone, width: displayWidth(safe) };
}

const SEPARATOR = piece(' · ', 'dim');
const MORE = piece(' …', 'dim');

export function widthOf(pieces: readonly Piece[]): number {
  let width = 0;
  for (const { width: own } of pieces) width += own;
  return width;
}

/** Width of parts with separators between them. */
export function joinedWidth(parts: readonly Piece[]): number {
  return parts.length === 0 ? 0 : widthOf(parts) + SEPARATOR.width * (parts.length - 1);
}

/**
 * Parts with separators, the most important first: as many as fit, then ` …` for the rest. Only a first part that does
 * not fit alone is cut.
 */
export function joinParts(parts: readonly Piece[], width: number): Piece[] {
  const pieces: Piece[] = [];
  let used = 0;
  for (const [i, part] of parts.entries()) {
    const needed = part.width + (i === 0 ? 0 : SEPARATOR.width);
    const reserve = i === parts.length - 1 ? 0 : MORE.width;
    if (i > 0 && used + needed + reserve > width) {
      if (used + MORE.width <= width) pieces.push(MORE);
      break;
    }
    if (i > 0) pieces.push(SEPARATOR);
    pieces.push(part);
    used += needed;
  }
  return pieces;
}

/** Parts packed into lines of `width` columns, none split between two lines. */
export function flowParts(parts: readonly Piece[], width: number): Piece[][] {
  const lines: Piece[][] = [];
  let line: Piece[] = [];
  let used = 0;
  for (const part of parts) {
    if (line.length > 0 && used + SEPARATOR.width + part.width > width) {
      lines.push(line);
      line = [];
      used = 0;
    }
    if (line.length > 0) {
      line.push(SEPARATOR);
      used += SEPARATOR.width;
    }
    line.push(part);
    used += part.width;
  }
  if (line.length > 0) lines.push(line);
  return lines;
}

/** Pieces as text of exactly `width` columns: cut with `…`, or filled up with blanks. */
export function fit(pieces: readonly Piece[], width: number, palette: Palette): string {
  let text = '';
  let left = width;
  for (const { text: own, tone, width: needed } of pieces) {
    if (own === '') continue;
    if (needed > left) {
      const cut = cutToWidth(own, left);
      return text + palette[tone](cut) + ' '.repeat(Math.max(0, left - displayWidth(cut)));
    }
    text += palette[tone](own);
    left -= needed;
  }
  return text + ' '.repeat(left);
}

/** Pieces as text of at most `width` columns. */
export function fitLoose(pieces: readonly Piece[], width: number, palette: Palette): string {
  return fit(pieces, Math.min(width, widthOf(pieces)), palette);
}
