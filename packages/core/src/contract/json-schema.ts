import * as z from 'zod';
import { recordSchema } from './envelope.js';
import { hookSchemas } from './hook-map.js';

/** Where the schema of records lives in the package: `@hermes-observer/core/record.schema.json`. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

/**
 * JSON Schema (draft 2020-12) of a record. `$defs` has one schema a hook; the record's `hook` chooses among them, and the
 * payload of an unknown hook may be any object.
 */
export function recordJsonSchema(): JsonSchema {
  const registry = z.registry<{ id: string }>();
  for (const [hook, schema] of Object.entries(hookSchemas)) registry.add(schema, { id: hook });
  const { schemas } = z.toJSONSchema(registry, {
    target: 'draft-2020-12',
    io: 'input',
    uri: (hook) => `#/$defs/${hook}`,
  });
  const { $schema, ...record } = z.toJSONSchema(recordSchema, { target: 'draft-2020-12', io: 'input' });
  return {
    $schema,
    title: 'Hook record',
    ...record,
    allOf: Object.keys(hookSchemas).map((hook) => ({
      if: { properties: { hook: { const: hook } }, required: ['hook'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { payload: { $ref: `#/$defs/${hook}` } } },
    })),
    $defs: Object.fromEntries(Object.entries(schemas).map(([hook, schema]) => [hook, withoutAddress(schema)])),
  };
}

function withoutAddress({ $schema, $id, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
