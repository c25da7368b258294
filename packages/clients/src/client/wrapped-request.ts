import type { AdapterHost } from '@hermes-observer/adapter';
import { fieldsOf } from '../answer/fields.js';

/** Under which `@opentelemetry/api` keeps the active span in a context. */
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN');

/** Whether the code runs in `turn.request` of `observer.turn`: the program tells of this request itself. */
export function isInWrappedRequest({ scope }: AdapterHost): boolean {
  if (scope === undefined || 'scope' in scope) return false;
  const { attributes } = fieldsOf(scope.context?.getValue(SPAN));
  return fieldsOf(attributes)['gen_ai.operation.name'] === 'chat';
}
