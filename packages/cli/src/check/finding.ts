/** `fault`: traces cannot arrive. `warning`: some may be missing. `note`: good to know. `ok`: as it should be. */
export type Level = 'ok' | 'note' | 'warning' | 'fault';

/** One thing that was looked at. */
export interface Finding {
  /** Stable name, for scripts. */
  readonly id: string;
  readonly level: Level;
  readonly text: string;
  /** What to do. Every fault and warning has it. */
  readonly mend?: string;
  /** For scripts: what the text tells in short. */
  readonly details?: Readonly<Record<string, unknown>>;
}

const MARKS: Readonly<Record<Level, string>> = { ok: 'ok  ', note: 'note', warning: 'WARN', fault: 'FAIL' };

/** Findings for a person, one or two lines each. */
export function findingsText(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ level, text, mend }) => [
    `${MARKS[level]}  ${text}`,
    ...(mend === undefined ? [] : [`      ${mend}`]),
  ]);
  return `${lines.join('\n')}\n`;
}
