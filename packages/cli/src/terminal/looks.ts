import pc from 'picocolors';
import { createPalette } from '../view/palette.js';
import type { Looks } from './screen-line.js';

/**
 * Text stands in the terminal's own colour, or in a colour with a ground of its own, so that it can be read on dark and on
 * light; colours without one are for bars alone. Without colours, words and signs say the same.
 */
export function createLooks(colour: boolean): Looks {
  const plain = createPalette(false);
  if (!colour) return { palette: plain, selected: plain, select: (line) => line };
  const colours = pc.createColors(true);
  return {
    palette: {
      ...createPalette(true),
      warn: (text) => colours.bgYellow(colours.black(text)),
      bad: (text) => colours.bgRed(colours.whiteBright(text)),
      person: (text) => colours.bgMagenta(colours.whiteBright(text)),
      tool: colours.blueBright,
    },
    selected: { ...plain, strong: colours.bold },
    select: colours.inverse,
  };
}
