/** Which calls a hook is for: all that is given has to hold. */
export interface Matcher {
  /** Glob over the tool's name (`*`, `?`, `[a-z]`, `{a,b}`), a regular expression for all of it, or several of which one holds. */
  readonly tool?: string | RegExp | readonly (string | RegExp)[] | undefined;
  /** By path in the arguments, such as `amount` or `items[*].path`: a value, or a test. A path that is not there does not match. */
  readonly args?: Readonly<Record<string, ArgTest>> | undefined;
  readonly agent?: string | readonly string[] | undefined;
  /** Role of the child agent that calls, or of one above it. */
  readonly childRole?: string | readonly string[] | undefined;
  readonly platform?: string | readonly string[] | undefined;
}

export type ArgTest =
  | string
  | number
  | boolean
  | null
  | {
      readonly equals?: unknown;
      readonly oneOf?: readonly unknown[];
      /** Glob over a text. */
      readonly glob?: string;
      readonly matches?: RegExp;
      readonly above?: number;
      readonly below?: number;
      /** Whether it is there at all. */
      readonly exists?: boolean;
    };
