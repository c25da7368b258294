import pc from 'picocolors';

/** What a piece of text says, for its colour. */
export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'bad' | 'warn' | 'person' | 'model' | 'tool';

export type Palette = Readonly<Record<Tone, (text: string) => string>>;

const same = (text: string) => text;

/** Colours for a terminal, or none. */
export function createPalette(colour: boolean): Palette {
  const colours = pc.createColors(colour);
  return {
    plain: same,
    strong: colours.bold,
    dim: colours.dim,
    good: colours.green,
    bad: (text) => colours.bold(colours.red(text)),
    warn: colours.yellow,
    person: colours.magenta,
    model: colours.cyan,
    tool: colours.blue,
  };
}
