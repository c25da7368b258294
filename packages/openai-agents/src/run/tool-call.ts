import type { AdapterTool } from '@hermes-observer/adapter';
import { fieldsOf, textOf } from '../sdk/fields.js';

/** A call that runs here, from the SDK's start of it to its end, and the run of the tool's own code in between. */
export class ToolCall {
  readonly tool: AdapterTool;
  #hasCode: boolean;
  readonly #hasContent: boolean;
  #code: 'not run' | 'runs' | 'ran' = 'not run';
  #error: unknown;
  /** An agent that runs in it waits for a person: the call has no end in this run. */
  isWaiting = false;

  /** `hasCode`: its code is seen, so that a call without it was refused before it ran. */
  constructor(tool: AdapterTool, hasCode: boolean, hasContent: boolean) {
    this.tool = tool;
    this.#hasCode = hasCode;
    this.#hasContent = hasContent;
  }

  /** Its code cannot be followed after all. */
  codeIsUnseen(): void {
    this.#hasCode = false;
  }

  runs(): void {
    this.#code = 'runs';
  }

  /** The SDK made a result of an error: what it says of it. */
  hasError(error: unknown): void {
    this.#error = error;
  }

  returned(result: unknown): void {
    this.#code = 'ran';
    if (!this.isWaiting) this.#end(result);
  }

  threw(error: unknown): void {
    this.#code = 'ran';
    if (this.#hasContent) this.tool.failed(error);
    else this.tool.failed(Object.assign(new Error(), { name: fieldsOf(error).name }));
  }

  /** The SDK is through with the call. */
  ended(result: unknown): void {
    if (this.isWaiting) return;
    if (this.#code === 'runs') this.tool.end({ status: 'timeout', errorType: 'ToolTimeoutError' });
    else if (this.#code === 'not run' && this.#hasCode) {
      this.tool.end({ status: 'blocked', errorType: 'tool_guardrail', result: this.#hasContent ? result : undefined });
    } else this.#end(result);
  }

  #end(result: unknown): void {
    if (this.#error === undefined) {
      this.tool.end({ status: 'ok', result: this.#hasContent ? result : undefined });
      return;
    }
    const { message, data } = fieldsOf(this.#error);
    const text = textOf(fieldsOf(data).error) ?? textOf(message);
    this.tool.end({
      status: 'error',
      errorType: /^(?:Error: )?([A-Z]\w*Error)\b/.exec(text ?? '')?.[1] ?? 'tool_error',
      errorMessage: this.#hasContent ? text : undefined,
    });
  }
}
