import { formatUnixNano, type HookRecord } from '@hermes-observer/core';
import * as fc from 'fast-check';

/** The seed of a run: `FC_SEED` repeats one. Failures print it as well. */
export const FC_SEED = process.env.FC_SEED === undefined ? Date.now() & 0x7fffffff : Number(process.env.FC_SEED);

/** Parameters of a property's run; the seed is the same for all of them. `FC_RUNS=50` makes it 50 times as long. */
export function runs(numRuns: number): fc.Parameters<unknown> {
  return { numRuns: numRuns * Number(process.env.FC_RUNS ?? 1), seed: FC_SEED };
}

type Draft = { hook: string; payload: Record<string, unknown>; trace?: string };

const START = 1_764_450_000;
/** Fields that hold ids; each producer has its own. */
const ID_FIELDS = [
  'turn_id',
  'session_id',
  'old_session_id',
  'task_id',
  'tool_call_id',
  'api_request_id',
  'request_id',
  'parent_session_id',
  'parent_turn_id',
  'child_session_id',
  'child_subagent_id',
  'key',
];

const HOOKS = [
  'pre_llm_call',
  'post_llm_call',
  'on_session_start',
  'on_session_end',
  'on_session_finalize',
  'on_session_reset',
  'pre_api_request',
  'post_api_request',
  'api_request_error',
  'pre_auxiliary_call',
  'post_auxiliary_call',
  'pre_tool_call',
  'post_tool_call',
  'transform_tool_result',
  'subagent_start',
  'subagent_stop',
  'pre_approval_request',
  'post_approval_response',
  'on_human_input_request',
  'on_human_input_resolved',
  'observer_policy_decision',
  'observer_closed',
  'on_stream_delta',
  'a_hook_of_tomorrow',
];

const pool = (prefix: string, size: number) => fc.nat({ max: size - 1 }).map((n) => `${prefix}${n}`);
const odd = fc.constantFrom<unknown>('', null, 7, true, [], {}, '😀\ud800', Number.NaN, -1);
const mostly = (arbitrary: fc.Arbitrary<unknown>) => fc.oneof({ weight: 14, arbitrary }, { weight: 1, arbitrary: odd });
const duration = fc.constantFrom(0, 1, 250, -5, 1e300, '3');

/** Any fields on any hook, from small pools so that records meet. */
const payload = fc.record(
  {
    turn_id: mostly(pool('t', 4)),
    session_id: mostly(pool('s', 3)),
    old_session_id: mostly(pool('s', 3)),
    task_id: mostly(fc.oneof(pool('k', 3), pool('a', 2))),
    tool_call_id: mostly(pool('c', 3)),
    tool_name: mostly(fc.constantFrom('read_file', 'execute_code', 'delegate_task', 'clarify')),
    api_request_id: mostly(pool('r', 3)),
    model: mostly(fc.constantFrom('m1', 'm2')),
    provider: mostly(fc.constantFrom('openai', 'moa')),
    aux_task: mostly(fc.constantFrom('title_generation', 'moa_aggregator')),
    api_duration: duration,
    duration_ms: duration,
    finish_reason: fc.constantFrom('stop', 'tool_calls'),
    assistant_tool_call_count: fc.constantFrom(0, 1),
    usage: mostly(fc.constant({ prompt_tokens: 3, output_tokens: 2 })),
    status: mostly(fc.constantFrom('ok', 'error', 'blocked', 'timeout')),
    error_type: mostly(fc.constantFrom('tool_error', 'plugin_block')),
    error: mostly(fc.constant({ type: 'APIError', message: 'no' })),
    completed: fc.boolean(),
    failed: fc.boolean(),
    parent_session_id: mostly(pool('s', 3)),
    parent_turn_id: mostly(pool('t', 4)),
    child_session_id: mostly(fc.oneof({ weight: 4, arbitrary: pool('cs', 3) }, { weight: 1, arbitrary: pool('s', 3) })),
    child_subagent_id: mostly(pool('a', 2)),
    child_status: mostly(fc.constantFrom('completed', 'failed')),
    surface: fc.constantFrom('cli', 'smart'),
    pattern_key: fc.constantFrom('rm', 'sudo'),
    choice: fc.constantFrom('once', 'deny'),
    kind: mostly(fc.constantFrom('approval', 'clarify')),
    request_id: mostly(pool('q', 3)),
    scope: mostly(fc.constantFrom('turn', 'trace', 'producer')),
    key: mostly(fc.oneof(pool('t', 4), pool('cs', 3))),
    reason: mostly(fc.constantFrom('idle_timeout', 'next_turn')),
  },
  { requiredKeys: [] },
);

const implausible: fc.Arbitrary<Draft[]> = fc.array(fc.record({ hook: fc.constantFrom(...HOOKS), payload }), {
  maxLength: 60,
  size: 'max',
});

/** What an agent is in the middle of. */
interface Frame {
  readonly turn: string;
  readonly session: string;
  readonly task: string;
  requests: number;
  request: string | undefined;
  readonly tools: { readonly id: string; readonly name: string; asked: boolean }[];
  readonly child: { readonly session: string; readonly agent: string } | undefined;
}

/** A run of an agent as the hooks would tell it; each number pair is one choice of what comes next. */
function plausible(choices: readonly [number, number][]): Draft[] {
  const out: Draft[] = [];
  const frames: Frame[] = [];
  let count = 0;
  const say = (hook: string, frame: Frame, more: Record<string, unknown> = {}) => {
    const { turn, session, task } = frame;
    out.push({ hook, payload: { turn_id: turn, session_id: session, task_id: task, ...more } });
  };
  const begin = (child: Frame['child'], session: string) => {
    const n = count++;
    const task = child?.agent ?? `task-${session}`;
    const frame: Frame = { turn: `turn${n}`, session, task, requests: 0, request: undefined, tools: [], child };
    frames.push(frame);
    say('pre_llm_call', frame, { model: 'm1', user_message: 'hello' });
    if (child === undefined && n % 5 === 4) {
      const last = out[out.length - 1];
      if (last !== undefined) last.trace = n.toString(16).padStart(32, 'a');
    }
  };
  for (const [what, which] of choices) {
    const frame = frames[which % Math.max(1, frames.length)];
    if (frame === undefined || what === 0) {
      begin(undefined, `session${which % 2}`);
      continue;
    }
    const tool = frame.tools[which % Math.max(1, frame.tools.length)];
    const request = { api_request_id: frame.request, model: `m${1 + (which % 2)}`, provider: 'openai' };
    switch (what) {
      case 1:
      case 2:
        frame.request ??= `${frame.turn}:api:${frame.requests++}`;
        say('pre_api_request', frame, { ...request, api_request_id: frame.request, base_url: 'https://api.test/v1' });
        break;
      case 3:
      case 4:
        say('post_api_request', frame, { ...request, usage: { prompt_tokens: 5 }, finish_reason: 'stop' });
        frame.request = undefined;
        break;
      case 5:
        say('api_request_error', frame, { ...request, error: { type: 'APIError' }, status_code: 429, reason: 'rate' });
        break;
      case 6:
      case 7: {
        const name = ['read_file', 'delegate_task', 'execute_code', 'terminal'][which % 4] ?? '';
        const id = which % 5 === 0 ? '' : `call${count++}`;
        frame.tools.push({ id, name, asked: false });
        say('pre_tool_call', frame, { tool_call_id: id, tool_name: name, args: { path: 'x' } });
        break;
      }
      case 8:
      case 9:
        if (tool === undefined) break;
        frame.tools.splice(frame.tools.indexOf(tool), 1);
        say('post_tool_call', frame, { tool_call_id: tool.id, tool_name: tool.name, status: 'ok', duration_ms: 5 });
        break;
      case 10:
        if (tool === undefined) break;
        say(tool.asked ? 'post_approval_response' : 'pre_approval_request', frame, {
          tool_call_id: tool.id,
          surface: 'cli',
          pattern_key: 'rm',
          ...(tool.asked ? { choice: 'once' } : {}),
        });
        tool.asked = !tool.asked;
        break;
      case 11: {
        const child = { session: `child${count++}`, agent: `agent${count}` };
        out.push({
          hook: 'subagent_start',
          payload: {
            parent_session_id: frame.session,
            parent_turn_id: which % 7 === 0 ? '' : frame.turn,
            child_session_id: child.session,
            child_subagent_id: child.agent,
            child_role: 'leaf',
          },
        });
        begin(child, child.session);
        break;
      }
      case 12:
        out.push({ hook: 'pre_tool_call', payload: { task_id: frame.task, tool_name: 'web_search' } });
        out.push({
          hook: 'transform_tool_result',
          payload: { task_id: frame.task, tool_name: 'web_search', status: 'ok' },
        });
        break;
      case 13:
        say('on_human_input_request', frame, {
          kind: which % 2 === 0 ? 'approval' : 'clarify',
          request_id: `ask${count++}`,
        });
        break;
      case 14:
        say('pre_auxiliary_call', frame, { aux_task: 'title_generation', api_request_id: `aux${count}`, model: 'm3' });
        if (which % 2 === 0)
          say('post_auxiliary_call', frame, { aux_task: 'title_generation', api_request_id: `aux${count}` });
        count++;
        break;
      default:
        frames.splice(frames.indexOf(frame), 1);
        say('post_llm_call', frame, { assistant_response: 'bye' });
        if (what !== 16)
          say('on_session_end', frame, { completed: true, turn_exit_reason: 'text_response(finish_reason=stop)' });
        if (frame.child !== undefined) {
          out.push({
            hook: 'subagent_stop',
            payload: { child_session_id: frame.child.session, child_status: 'completed', duration_ms: 9 },
          });
        }
    }
  }
  return out;
}

const choices = fc.array(fc.tuple(fc.nat({ max: 17 }), fc.nat({ max: 41 })), { maxLength: 60, size: 'max' });
const flaws = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat({ max: 3 })), { maxLength: 6 });

/** Loses, swaps and spoils some records of a run. */
function spoil(drafts: Draft[], list: readonly [number, number, number][]): Draft[] {
  for (const [a, b, kind] of list) {
    const i = a % Math.max(1, drafts.length);
    const j = b % Math.max(1, drafts.length);
    const [one, other] = [drafts[i], drafts[j]];
    if (one === undefined || other === undefined) continue;
    if (kind === 0) drafts.splice(i, 1);
    else if (kind === 1) {
      drafts[i] = other;
      drafts[j] = one;
    } else {
      const keys = Object.keys(one.payload);
      const key = keys[b % Math.max(1, keys.length)];
      if (key === undefined) continue;
      if (kind === 2) delete one.payload[key];
      else one.payload[key] = [null, '', 12, ['x'], { y: 1 }][b % 5];
    }
  }
  return drafts;
}

const drafts = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(choices, flaws).map(([list, spoiled]) => spoil(plausible(list), spoiled)) },
  { weight: 2, arbitrary: implausible },
);

/** Records of one producer: times mostly go on, some step back; some have no number of their own when `numbered` is false. */
export function records(producer: string, numbered = true): fc.Arbitrary<HookRecord[]> {
  const steps = fc.array(fc.integer({ min: -40, max: 400 }), { minLength: 8, maxLength: 8 });
  return fc.tuple(drafts, steps, fc.nat({ max: 4 })).map(([list, step, hole]) => {
    let millis = 0;
    return list.map((draft, i): HookRecord => {
      millis = Math.max(0, millis + (step[i % step.length] ?? 1));
      const own = Object.entries(draft.payload).map(([key, value]) => [
        key,
        ID_FIELDS.includes(key) && typeof value === 'string' && value !== '' ? `${producer}:${value}` : value,
      ]);
      return {
        hook: draft.hook,
        time_unix_nano: formatUnixNano([START + Math.floor(millis / 1000), (millis % 1000) * 1e6]),
        producer,
        ...(numbered || i % 5 !== hole ? { seq: i + 1 } : {}),
        payload: Object.fromEntries(own),
        ...(draft.trace === undefined
          ? {}
          : { trace_context: { traceparent: `00-${traceOf(producer, draft.trace)}-00f067aa0ba902b7-01` } }),
      };
    });
  });
}

/** Callers of different producers are different ones. */
function traceOf(producer: string, trace: string): string {
  return producer.charCodeAt(0).toString(16).padStart(4, '0') + trace.slice(4);
}
