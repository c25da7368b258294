import type { Attributes, Exception } from '@opentelemetry/api';

/**
 * The `exception.*` attributes of a thrown value (semantic conventions, exceptions on spans): type (`code`, else
 * `name`), message, stacktrace. `undefined` without a type and a message, or when reading the value throws.
 */
export function exceptionAttributes(exception: Exception): Attributes | undefined {
  if (typeof exception === 'string') return exception === '' ? undefined : { 'exception.message': exception };
  try {
    const { code, name, message, stack } = exception;
    const attributes: Attributes = {};
    if (code) attributes['exception.type'] = String(code);
    else if (name) attributes['exception.type'] = String(name);
    if (message) attributes['exception.message'] = String(message);
    if (stack) attributes['exception.stacktrace'] = String(stack);
    return attributes['exception.type'] || attributes['exception.message'] ? attributes : undefined;
  } catch {
    return undefined;
  }
}
