import { type Fields, fieldsOf, listOf, textOf } from '@hermes-observer/adapter';

// What is read of the AI SDK's messages, by their structure: no version of it is loaded, and any field may be absent.

export { type Fields, fieldsOf, listOf, textOf };

/** A message of the tracing channel `ai:telemetry`. The same object in all phases of an operation. */
export interface ChannelMessage {
  readonly type: string;
  readonly event: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Whether the program lets inputs and outputs be recorded: `telemetry: { recordInputs, recordOutputs }`. */
export const recordsInputs = (event: unknown): boolean => fieldsOf(event).recordInputs !== false;
export const recordsOutputs = (event: unknown): boolean => fieldsOf(event).recordOutputs !== false;
