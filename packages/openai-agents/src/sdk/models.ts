import { fieldsOf, textOf } from './fields.js';

/** Names that models were asked for by; they need not know them themselves. */
const names = new WeakMap<object, string>();

export function rememberName(model: object, name: unknown): void {
  const known = textOf(name);
  if (known !== undefined) names.set(model, known);
}

/** The name of a model, of its object or of the text that stands for it. */
export function modelNameOf(model: unknown): string | undefined {
  if (typeof model === 'string') return textOf(model);
  const fields = fieldsOf(model);
  const own = textOf(fields._model) ?? textOf(fields.model) ?? textOf(fields.modelId) ?? textOf(fields.modelName);
  return own ?? (typeof model === 'object' && model !== null ? names.get(model) : undefined);
}

/** Who runs it, where its class says so. */
export function providerOf(model: object): string | undefined {
  const own = textOf(fieldsOf(model).provider);
  if (own !== undefined) return own.split('.')[0];
  return /^_?OpenAI/.test(model.constructor?.name ?? '') ? 'openai' : undefined;
}

/** Whether the client that a model uses makes spans of its own: an instrumentation of OpenTelemetry marks what it wraps. */
export function hasTracedClient(model: object): boolean {
  const client = fieldsOf(fieldsOf(model)._client);
  const methods = [fieldsOf(client.responses).create, fieldsOf(fieldsOf(client.chat).completions).create];
  return methods.some((method) => fieldsOf(method).__wrapped === true);
}
