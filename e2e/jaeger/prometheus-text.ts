export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPE = /\\(.)/g;

const withoutEscapes = (text: string) => text.replace(ESCAPE, (_, letter: string) => (letter === 'n' ? '\n' : letter));

/** The samples of a page in the Prometheus text format. @throws Error for a line that is none. */
export function samplesOf(page: string): Sample[] {
  return page
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = LINE.exec(line) ?? [];
      if (name === undefined) throw new Error(`no sample: ${line}`);
      const pairs = [...labels.matchAll(LABEL)].map(([, key = '', text = '']) => [key, withoutEscapes(text)]);
      return { name, labels: Object.fromEntries(pairs), value: Number(value?.replace('Inf', 'Infinity')) };
    });
}

/** The sum of all samples of a name; 0 if there are none. */
export function sum(samples: readonly Sample[], name: string): number {
  return samples.reduce((total, sample) => (sample.name === name ? total + sample.value : total), 0);
}
