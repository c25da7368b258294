import type { Guard, ScopeStore } from '@hermes-observer/adapter';
import { fieldsOf, recordsInputs, recordsOutputs } from '../sdk/events.js';
import { withoutText } from './run.js';
import type { AiSdkTracing } from './tracing.js';

type Execute = { readonly execute: () => PromiseLike<unknown> };

/**
 * What the channel does not tell, the SDK tells to integrations: the content of the steps of a stream, and that a stream
 * broke. Where a call hides its inputs or outputs, its channel has no results either, and usage is read here.
 */
export function integrationOf(tracing: AiSdkTracing, scopes: ScopeStore, guard: Guard) {
  const isHidden = (event: unknown) => !recordsInputs(event) || !recordsOutputs(event);
  return {
    onStepEnd(event: unknown) {
      guard.safely(() => {
        const run = tracing.runOf(event);
        if (run !== undefined) tracing.stepEnded(run, fieldsOf(event).content, fieldsOf(event));
      });
    },
    onError(event: unknown) {
      guard.safely(() => tracing.runOf(event)?.end(fieldsOf(event).error ?? new Error('unknown error')));
    },
    executeLanguageModelCall(event: Execute): PromiseLike<unknown> {
      const { execute } = event;
      if (!isHidden(event)) return execute();
      const request = scopes.getStore()?.request;
      const run = tracing.runOf(event);
      return execute().then(
        (result) => {
          guard.safely(() => {
            if (request !== undefined) run?.answered(request, event, result);
          });
          return result;
        },
        (error: unknown) => {
          guard.safely(() => {
            if (request !== undefined) run?.failedHidden(request, error);
          });
          throw error;
        },
      );
    },
    executeTool(event: Execute): PromiseLike<unknown> {
      const { execute } = event;
      if (!isHidden(event)) return execute();
      const tool = scopes.getStore()?.tool;
      return execute().then(undefined, (error: unknown) => {
        guard.safely(() => tool?.failed(withoutText(error)));
        throw error;
      });
    },
  };
}
