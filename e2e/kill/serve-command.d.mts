<<<<<<< HEAD
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
  start(): Promise<this>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  stop(): Promise<unknown>;
=======
export const TOKEN: string;

export class ServeCommand {
  constructor(
    folder: string,
    options?: { data?: string; config?: object; env?: Record<string, string>; args?: string[] },
  );
  readonly log: string;
  readonly url: string;
  start(): Promise<this>;
  kill(signal?: NodeJS.Signals): Promise<unknown>;
>>>>>>> 5b130e8 (docs(relay): what goes where, ids, and tests beside the code)
}
