import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type HookRecord, parseRecord } from '@hermes-observer/core';
import { hookSchemas } from '@hermes-observer/core/schema';
import { describe, expect, it } from 'vitest';
import { replayed } from '../scene.test-support.js';
import { hasContent, withMaskedContent, withoutContent } from './content-fields.js';
import { safeFields } from './safe-fields.js';

const record = (payload: object, hook = 'post_tool_call'): HookRecord => ({
  hook,
  time_unix_nano: '1',
  payload: payload as Record<string, unknown>,
});

const FOLDER = fileURLToPath(new URL('../../../../../conformance/recordings/', import.meta.url));
const RECORDINGS = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ndjson'),
);

/** Fields of the contract that count as content, by hook: what is neither here nor safe has not been thought of. */
const CONTENT: Readonly<Record<string, string>> = {
  pre_llm_call: 'user_message conversation_history sender_id',
  post_llm_call: 'user_message assistant_response conversation_history',
  transform_llm_output: 'response_text',
  pre_verify: 'final_response changed_paths',
  pre_api_request: 'user_message conversation_history request_messages system_prompt middleware_trace request',
  post_api_request: 'response assistant_message moa_references',
  api_request_error: 'request',
  transform_api_error_classification: 'error_message error_body error',
  pre_auxiliary_call: 'request_messages system_prompt request',
  post_auxiliary_call: 'response',
  pre_tool_call: 'args middleware_trace',
  post_tool_call: 'args result error_message middleware_trace',
  transform_tool_result: 'args result error_message',
  transform_terminal_output: 'command output',
  subagent_start: 'child_goal',
  subagent_stop: 'child_summary tool_call_history',
  pre_approval_request: 'command description pattern_keys',
  post_approval_response: 'command description pattern_keys',
  on_human_input_request: 'prompt',
  on_human_input_resolved: 'prompt',
  on_stream_delta: 'delta',
  on_stream_end: 'final_text error',
  on_interim_message: 'text',
  pre_gateway_dispatch: 'event gateway session_store',
  post_gateway_admission: 'source message_id text',
  gateway_platform_event: 'payload',
  pre_command: 'args_raw',
  on_room_member_activity: 'payload',
  kanban_task_completed: 'summary',
  kanban_task_blocked: 'reason',
  on_kanban_worker_spawned: 'workspace_path',
  on_kanban_task_updated: 'changed_fields',
  on_kanban_dispatch_tick: 'result',
  pre_transcription: 'file_path prompt',
  pre_tts_synthesis: 'text',
  observer_policy_decision: 'reason side_effects',
  observer_evaluation: 'explanation',
};

const HOOKS = Object.entries(hookSchemas).map(([hook, { shape }]) => [hook, Object.keys(shape)] as const);
const SECRET = 'sk-ant-api03-Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0LzXcVbNmQwErTy';

describe('content', () => {
  it.each(HOOKS)('is each field of the contract, or it is safe: %s', (hook, fields) => {
    const content = fields.filter((name) => !safeFields(hook).has(name));
    expect(content.sort()).toEqual((CONTENT[hook] ?? '').split(' ').filter(Boolean).sort());
  });

  it.each(HOOKS)(
    'of %s goes with none, with every field that is not known; with redacted it is masked',
    (hook, fields) => {
      const content = [...fields.filter((name) => !safeFields(hook).has(name)), 'added_later', 'nested_later'];
      const planted = Object.fromEntries(
        content.map((name, i) => [name, i % 2 === 0 ? SECRET : { deep: [{ key: SECRET }] }]),
      );
      const safe = Object.fromEntries(
        [...safeFields(hook)].filter((name) => name !== 'error').map((name) => [name, 7]),
      );
      const full = { ...record({ ...planted, ...safe, prompt_bytes: 5 }, hook), beside: SECRET } as HookRecord;
      expect(hasContent(full)).toBe(true);
      const none = withoutContent(full);
      expect(JSON.stringify(none)).not.toContain(SECRET);
      expect(none.payload).toEqual({ ...safe, prompt_bytes: 5 });
      expect(hasContent(none)).toBe(false);
      const redacted = withMaskedContent(full);
      expect(JSON.stringify(redacted)).not.toContain(SECRET);
      expect(Object.keys(redacted.payload).sort()).toEqual(Object.keys(full.payload).sort());
      expect(redacted.payload).toMatchObject(safe);
    },
  );

  it('of a hook that nobody knows is all but the ids', () => {
    const { payload } = withoutContent(record({ session_id: 's', turn_id: 't', note: SECRET, status: SECRET }, 'on_x'));
    expect(payload).toEqual({ session_id: 's', turn_id: 't' });
  });

  it('does not hide in a safe field of another shape', () => {
    const hidden = [{ a: SECRET }, [{ a: SECRET }], [[SECRET]], SECRET.repeat(100)];
    for (const value of hidden) {
      const { payload } = withoutContent(record({ status: value, tool_name: 'x' }));
      expect(payload).toEqual({ tool_name: 'x' });
    }
    const usage = { input_tokens: 3, note: SECRET, details: { cached: SECRET } };
    expect(withoutContent(record({ usage }, 'post_api_request')).payload).toEqual({ usage: { input_tokens: 3 } });
    const error = { type: 'APIError', message: SECRET, status_code: 400, body: SECRET };
    expect(withoutContent(record({ error }, 'api_request_error')).payload).toEqual({
      error: { type: 'APIError', status_code: 400 },
    });
    expect(withoutContent(record({ error: SECRET }, 'post_auxiliary_call')).payload).toEqual({});
  });

  it('is gone with all its fields, and what was to be told from it is told', () => {
    const full = record({ turn_id: 't', result: '{"status":"blocked","error":"secret"}', args: { a: 'secret' } });
    const { payload } = withoutContent(full);
    expect(payload).toEqual({ turn_id: 't', result_status: 'blocked' });
    expect(hasContent(record(payload))).toBe(false);
  });

  it('is none where a field is empty', () => {
    expect(hasContent(record({ turn_id: 't', result: '', args: null, usage: null }))).toBe(false);
  });

  it.each(RECORDINGS)('is no part of the spans without it, which are the same: %s', (name) => {
    const lines = readFileSync(`${FOLDER}${name}`, 'utf8').trim().split('\n');
    const records = lines.flatMap((line) => parseRecord(line).record ?? []);
    const without = records.map((each) => JSON.stringify(hasContent(each) ? withoutContent(each) : each));
    for (const closeAll of [false, true])
      expect(replayed(without, { closeAll })).toEqual(replayed(lines, { closeAll }));
  });

  it('is nothing that a forwarder keeps when it sends none', (context) => {
    const folder = fileURLToPath(new URL('../../../../../integrations/hermes-agent', import.meta.url));
    const code =
      'import json,sys; sys.path.insert(0, "."); from hermes_observer_forwarder import fields as f; ' +
      'print(json.dumps({h: f.kept_fields(h) for h in f._KEPT}))';
    const { status, stdout, stderr } = spawnSync('python3', ['-c', code], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) {
      const reason = `no python3 with what the forwarder needs: ${stderr?.trim().split('\n').at(-1) ?? ''}`;
      Object.assign(context.task.meta, { skipReason: reason });
      process.stdout.write(`skipped: ${context.task.name}: ${reason}\n`);
      context.skip(reason);
    }
    const kept = JSON.parse(stdout) as Record<string, Record<string, string>>;
    expect(Object.keys(kept).length).toBeGreaterThan(40);
    // Their fields are replaced by sizes.
    const isReplaced = (kind: string) => ['bytes', 'count', 'result'].includes(kind);
    const unsafe = Object.entries(kept).flatMap(([hook, fields]) =>
      Object.entries(fields)
        .filter(([name, kind]) => !isReplaced(kind) && !safeFields(hook).has(name))
        .map(([name]) => `${hook}.${name}`),
    );
    expect(unsafe).toEqual([]);
  });
});
