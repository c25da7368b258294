import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { type HookPayloads, hookSchemas, isKnownHook, type KnownHook } from './hook-map.js';

const HOOKS_OF_THE_AGENT = [
  'pre_tool_call',
  'post_tool_call',
  'transform_tool_result',
  'transform_terminal_output',
  'transform_llm_output',
  'pre_llm_call',
  'post_llm_call',
  'pre_verify',
  'pre_api_request',
  'post_api_request',
  'api_request_error',
  'transform_api_error_classification',
  'pre_auxiliary_call',
  'post_auxiliary_call',
  'on_stream_start',
  'on_stream_delta',
  'on_stream_end',
  'on_interim_message',
  'on_session_start',
  'on_session_end',
  'on_session_finalize',
  'on_session_reset',
  'on_skill_lifecycle',
  'subagent_start',
  'subagent_stop',
  'pre_gateway_dispatch',
  'post_gateway_admission',
  'gateway_platform_event',
  'agent_loop_stopped',
  'pre_approval_request',
  'post_approval_response',
  'on_human_input_request',
  'on_human_input_resolved',
  'pre_transcription',
  'pre_tts_synthesis',
  'pre_command',
  'kanban_task_claimed',
  'kanban_task_completed',
  'kanban_task_blocked',
  'on_kanban_worker_spawned',
  'on_kanban_worker_exited',
  'on_kanban_worker_stale_claim',
  'on_kanban_task_updated',
  'on_kanban_dispatch_tick',
  'on_room_member_activity',
];
const OWN = [
  'observer_hello',
  'observer_dropped',
  'observer_closed',
  'observer_policy_decision',
  'observer_evaluation',
];

const schemas: [string, z.ZodObject][] = Object.entries(hookSchemas);

/** Every field below a schema, with its path. */
function fieldsOf(schema: z.ZodType, path: string): [string, z.ZodType][] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return fieldsOf(schema.unwrap() as z.ZodType, path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => fieldsOf(option as z.ZodType, path));
  if (schema instanceof z.ZodArray) return fieldsOf(schema.element as z.ZodType, `${path}[]`);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([key, field]) => [
    [`${path}.${key}`, field] as [string, z.ZodType],
    ...fieldsOf(field, `${path}.${key}`),
  ]);
}

describe('hookSchemas', () => {
  test('has every known hook and no other', () => {
    expect(Object.keys(hookSchemas).sort()).toEqual([...HOOKS_OF_THE_AGENT, ...OWN].sort());
  });

  test.each(schemas)('%s describes itself and every field', (hook, schema) => {
    expect(schema.description?.length).toBeGreaterThan(10);
    const undescribed = fieldsOf(schema, hook).filter(([, field]) => !field.description);
    expect(undescribed.map(([path]) => path)).toEqual([]);
  });

  test.each(schemas)('%s takes any field as absent or null, ids as empty, and unknown keys', (_, schema) => {
    const nulls = Object.fromEntries(
      Object.keys(schema.shape).map((key) => [key, key.endsWith('_id') && key !== 'run_id' ? '' : null]),
    );
    expect(schema.safeParse({}).error).toBeUndefined();
    const parsed = schema.safeParse({ ...nulls, 'a new field': { any: [1] } });
    expect(parsed.error).toBeUndefined();
    expect(parsed.data).toHaveProperty(['a new field'], { any: [1] });
  });

  test('knows its own names only', () => {
    expect(isKnownHook('pre_tool_call')).toBe(true);
    for (const name of ['', 'on_future_thing', '__proto__', 'constructor', 'toString'])
      expect(isKnownHook(name)).toBe(false);
  });

  test('gives types with open keys', () => {
    expectTypeOf<KnownHook>().toExtend<string>();
    expectTypeOf<HookPayloads['pre_tool_call']['tool_name']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<HookPayloads['api_request_error']['status_code']>().toEqualTypeOf<
      number | string | null | undefined
    >();
    expectTypeOf<HookPayloads['pre_llm_call']['user_message']>().toEqualTypeOf<string | unknown[] | null | undefined>();
    expectTypeOf<HookPayloads['pre_tool_call']['another key']>().toEqualTypeOf<unknown>();
  });
});
