import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hookSchemas } from './hook-map.js';
import { recordJsonSchema } from './json-schema.js';

const schema = recordJsonSchema();

describe('recordJsonSchema', () => {
  test('is what record.schema.json holds (npm run build writes it)', () => {
    const committed = readFileSync(new URL('../../record.schema.json', import.meta.url), 'utf8');
    expect(committed).toBe(`${JSON.stringify(schema, null, 2)}\n`);
  });

  test('chooses the payload by hook and leaves other hooks open', () => {
    const branches = schema.allOf as {
      if: { properties: { hook: { const: string } } };
      then: { properties: { payload: { $ref: string } } };
    }[];
    expect(branches.map((branch) => branch.if.properties.hook.const)).toEqual(Object.keys(hookSchemas));
    for (const branch of branches)
      expect(branch.then.properties.payload.$ref).toBe(`#/$defs/${branch.if.properties.hook.const}`);
    expect(Object.keys(schema.$defs as object).sort()).toEqual(Object.keys(hookSchemas).sort());
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
  });

  test('carries the text of hooks and fields', () => {
    const tool = (
      schema.$defs as Record<string, { description: string; properties: Record<string, { description: string }> }>
    ).pre_tool_call;
    expect(tool?.description).toBe(hookSchemas.pre_tool_call.description);
    expect(tool?.properties.turn_id?.description).toContain('Opaque');
  });

  test('refers only to what it defines', () => {
    const text = JSON.stringify(schema);
    const refs = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]);
    expect(refs.every((ref) => ref?.startsWith('#/$defs/'))).toBe(true);
    expect(text.match(/"\$schema"/g)).toHaveLength(1);
    expect(text).not.toContain('"$id"');
  });
});
