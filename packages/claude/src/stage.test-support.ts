/** What a model is asked, as its API gets it. */
export interface ModelCall {
  readonly model: string;
  readonly messages: readonly unknown[];
}

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object };

/** What a model answers. */
export interface ModelAnswer {
  readonly blocks?: readonly Block[];
  /** An error instead. */
  readonly status?: number;
  /** Text comes in this many parts, with a pause before each. */
  readonly parts?: number;
  readonly pauseMillis?: number;
  /** The stream breaks after its first part. */
  readonly breaks?: boolean;
}

/** `asked`: what was asked so far, as text; `attempt`: attempts before this one. */
export type ModelScript = (call: ModelCall, asked: string, attempt: number) => ModelAnswer;

export type Fields = Record<string, unknown>;

export type Query = AsyncGenerator<Fields, void> & { interrupt(): Promise<unknown> };

/** What is used of the SDK. */
export interface Sdk {
  readonly query: (params: { prompt: string | AsyncIterable<unknown>; options?: Fields }) => Query;
  readonly tool: (
    name: string,
    text: string,
    schema: Fields,
    run: (args: Fields, extra: Fields) => unknown,
    more?: object,
  ) => unknown;
  readonly createSdkMcpServer: (options: { name: string; tools: unknown[]; alwaysLoad?: boolean }) => unknown;
}

/** A place where plays run: the SDK itself with a model of its own, or what was recorded there. */
export interface Stage {
  /** `options` are what the SDK needs to run there. */
  open(play: string, script: ModelScript): Promise<{ sdk: Sdk; options: Fields; close(): Promise<void> }>;
}
