import { hostname } from 'node:os';
import type { Attributes } from '@opentelemetry/api';
import type { Resource } from '../sdk/types.js';

/** A resource whose attributes are all known now. It needs no SDK package at run time. */
export function createResource(attributes: Attributes, schemaUrl?: string): Resource {
  const resource: Resource = {
    attributes,
    merge: (other) =>
      other === null ? resource : createResource({ ...attributes, ...other.attributes }, other.schemaUrl ?? schemaUrl),
    getRawAttributes: () => Object.entries(attributes),
    ...(schemaUrl === undefined ? {} : { schemaUrl }),
  };
  return resource;
}

/**
 * The resource of an observed agent: `service.name` (`serviceName`, else `OTEL_SERVICE_NAME`, else `hermes-agent`) and
 * `host.name`. Nothing random and no pid, so that a replay on the same host gives the same bytes.
 */
export function observerResource(serviceName?: string, attributes: Attributes = {}): Resource {
  return createResource({
    'service.name': serviceName || process.env.OTEL_SERVICE_NAME || 'hermes-agent',
    'host.name': hostname(),
    ...attributes,
  });
}
