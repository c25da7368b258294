export interface Row {
  readonly what: string;
  readonly seen: readonly string[];
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}
export const PITFALLS: readonly Row[];
export const ASKS: readonly Row[];
