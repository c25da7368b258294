import type { Guard, Scope } from '@hermes-observer/adapter';
import { fieldsOf, listOf, textOf } from '../framework/fields.js';
import type { LangChainTracing, RunStart } from './tracing.js';

/**
 * A callback handler of LangChain: `model.invoke(input, { callbacks: [handler] })`. Its methods are called by LangChain, and
 * never throw.
 */
export interface ObserverHandler {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: what LangChain declares differs from what it calls with
  handleChainStart(...args: any[]): void;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  handleChatModelStart(...args: any[]): void;
}

/** What LangChain calls. */
interface Callbacks extends ObserverHandler {
  readonly awaitHandlers: true;
  readonly raiseError: false;
  readonly ignoreRetriever: true;
  readonly ignoreCustomEvent: true;
  copy(): Callbacks;
  handleLLMStart(...args: unknown[]): void;
  handleLLMNewToken(token: unknown, index: unknown, runId: string): void;
  handleChatModelStreamEvent(event: unknown, runId: string): void;
  handleLLMEnd(output: unknown, runId: string): void;
  handleLLMError(error: unknown, runId: string): void;
  handleChainEnd(output: unknown, runId: string): void;
  handleChainError(error: unknown, runId: string): void;
  handleToolStart(...args: unknown[]): void;
  handleToolEnd(output: unknown, runId: string): void;
  handleToolError(error: unknown, runId: string): void;
}

/** What ends a run by itself: `entered` is told the scope of the model whose code comes next. */
export function handlerOf(
  name: string,
  tracing: LangChainTracing,
  guard: Guard,
  entered: (scope: Scope | undefined) => void,
): ObserverHandler {
  const model = (llm: unknown, asked: unknown, args: readonly unknown[]) =>
    entered(
      guard.safely(() => {
        const [runId, parentRunId, extra, , metadata, runName] = args;
        const start = startOf(runId, parentRunId, metadata, runName);
        return start && tracing.isOn ? tracing.modelStarted(start, llm, listOf(asked), extra) : undefined;
      }),
    );
  const told = (fn: () => void) => {
    if (tracing.isOn) guard.safely(fn);
  };
  const handler: Callbacks = {
    name,
    // Otherwise LangChain calls it some time later, when the code it is about has run.
    awaitHandlers: true,
    raiseError: false,
    ignoreRetriever: true,
    ignoreCustomEvent: true,
    copy: () => handler,
    handleChatModelStart: (llm: unknown, messages: unknown, ...args: unknown[]) =>
      model(llm, listOf(messages)[0], args),
    handleLLMStart: (llm, prompts, ...args) => model(llm, prompts, args),
    handleLLMNewToken: (_token, _index, runId) => told(() => tracing.chunk(runId)),
    handleChatModelStreamEvent: (_event, runId) => told(() => tracing.chunk(runId)),
    handleLLMEnd: (output, runId) => told(() => tracing.modelEnded(runId, output)),
    handleLLMError: (error, runId) => told(() => tracing.modelFailed(runId, error)),
    handleChainStart: (chain: unknown, inputs: unknown, runId: unknown, ...args: unknown[]) => {
      told(() => {
        // At run time: parent, tags, metadata, type, name. As declared: type, tags, metadata, name, parent.
        const [fourth, , metadata, seventh, eighth] = args;
        const isDeclared = typeof eighth === 'string' && !tracing.has(textOf(fourth)) && tracing.has(eighth);
        const start = isDeclared ? startOf(runId, eighth, metadata, seventh) : startOf(runId, fourth, metadata, eighth);
        if (start !== undefined) tracing.chainStarted(start, chain, inputs);
      });
    },
    handleChainEnd: (output, runId) => told(() => tracing.chainEnded(runId, output)),
    handleChainError: (error, runId) => told(() => tracing.chainFailed(runId, error)),
    handleToolStart: (tool, input, runId, parentRunId, _tags, metadata, runName, toolCallId) => {
      told(() => {
        const start = startOf(runId, parentRunId, metadata, runName ?? listOf(fieldsOf(tool).id).at(-1));
        if (start !== undefined) tracing.toolStarted(start, input, textOf(toolCallId));
      });
    },
    handleToolEnd: (output, runId) => told(() => tracing.toolEnded(runId, output)),
    handleToolError: (error, runId) => told(() => tracing.toolFailed(runId, error)),
  };
  return handler;
}

function startOf(runId: unknown, parentRunId: unknown, metadata: unknown, name: unknown): RunStart | undefined {
  if (typeof runId !== 'string') return undefined;
  return { runId, parentRunId: textOf(parentRunId), metadata: fieldsOf(metadata), name: textOf(name) };
}
