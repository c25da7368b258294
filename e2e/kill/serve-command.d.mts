export declare const COMMAND: string;
export declare const TOKEN: string;

export interface ServeCommandOptions {
  readonly data?: string;
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

export declare class ServeCommand {
  constructor(folder: string, options?: ServeCommandOptions);
  log: string;
  port: number;
  readonly url: string;
  start(): Promise<this>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  kill(signal?: NodeJS.Signals): Promise<unknown>;
  stop(): Promise<unknown>;
}
