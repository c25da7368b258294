// Hook calls as they must never come: any hook, fields of another type, ids of others, any order, again and again.
import { hostileValue, spoilField } from './hostile-values.mjs';

const HOOKS = [
  ...['pre_llm_call', 'post_llm_call', 'on_session_start', 'on_session_end', 'on_session_end'],
  ...['on_session_finalize', 'on_session_reset', 'pre_api_request', 'post_api_request', 'api_request_error'],
  ...['pre_auxiliary_call', 'post_auxiliary_call', 'pre_tool_call', 'pre_tool_call', 'post_tool_call'],
  ...['post_tool_call', 'transform_tool_result', 'subagent_start', 'subagent_stop', 'pre_approval_request'],
  ...['post_approval_response', 'on_human_input_request', 'on_human_input_resolved', 'observer_policy_decision'],
  ...['observer_closed', 'observer_hello', 'observer_dropped', 'on_stream_delta', 'kanban_task_claimed'],
];
const NO_HOOKS = ['', '*', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a_hook_of_tomorrow', '\ud800'];
/** What only a caller in this process can pass for a name. */
const NO_NAMES = [undefined, null, 7, {}, [], Symbol('hook'), 'x'.repeat(100_000)];

/** Field → what a well-meaning agent puts there. Ids come from small pools, so that records meet; `age` moves these on. */
const FIELDS = {
  turn_id: (random, age) => `t${age + random.below(40)}`,
  session_id: (random, age) => `s${age + random.below(20)}`,
  old_session_id: (random, age) => `s${age + random.below(20)}`,
  task_id: (random, age) => `k${age + random.below(30)}`,
  tool_call_id: (random, age) => `c${age + random.below(60)}`,
  tool_name: (random) => random.of(['read_file', 'execute_code', 'delegate_task', 'clarify', 'terminal']),
  api_request_id: (random, age) => `r${age + random.below(60)}`,
  model: (random) => random.of(['m1', 'm2']),
  provider: (random) => random.of(['openai', 'moa']),
  base_url: (random) => random.of(['https://api.test/v1', 'http://127.0.0.1:8080', 'none']),
  aux_task: (random) => random.of(['title_generation', 'compression']),
  api_duration: (random) => random.next() * 9,
  duration_ms: (random) => random.below(5_000),
  first_chunk_at: () => 1_790_000_000.5,
  finish_reason: () => 'stop',
  usage: (random) => ({ prompt_tokens: random.below(9_000), output_tokens: 2, cache_read_tokens: 1 }),
  status: (random) => random.of(['ok', 'error', 'blocked', 'timeout', 'cancelled']),
  error_type: () => 'tool_error',
  error: () => ({ type: 'APIError', message: 'no' }),
  error_message: () => 'it did not work',
  status_code: () => 429,
  reason: (random) => random.of(['idle_timeout', 'next_turn', 'producer_lost', 'rate']),
  completed: (random) => random.oneIn(2),
  failed: (random) => random.oneIn(4),
  interrupted: (random) => random.oneIn(8),
  turn_exit_reason: () => 'text_response(finish_reason=stop)',
  parent_session_id: (random, age) => `s${age + random.below(20)}`,
  parent_turn_id: (random, age) => `t${age + random.below(40)}`,
  child_session_id: (random, age) => random.of([`cs${age + random.below(10)}`, `s${age + random.below(20)}`]),
  child_subagent_id: (random, age) => `k${age + random.below(30)}`,
  child_role: () => 'leaf',
  child_status: (random) => random.of(['completed', 'failed']),
  surface: () => 'cli',
  pattern_key: (random) => random.of(['rm', 'sudo']),
  choice: (random) => random.of(['once', 'deny']),
  kind: (random) => random.of(['approval', 'clarify']),
  request_id: (random, age) => `q${age + random.below(9)}`,
  scope: (random) => random.of(['turn', 'trace', 'producer', 'all']),
  key: (random, age) => random.of([`t${age + random.below(40)}`, `cs${age + random.below(10)}`]),
  gate: () => 'rules',
  outcome: (random) => random.of(['allow', 'deny', 'submitted']),
  side_effects: () => ['log'],
  args: () => ({ path: 'notes.txt', token: 'sk-live-0123456789' }),
  result: () => '{"status":"ok"}',
  user_message: () => 'hello',
  assistant_response: () => 'bye',
  request: () => ({ body: { messages: [{ role: 'user', content: 'hi' }] } }),
  request_messages: () => [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  response: () => ({ choices: [{ message: { role: 'assistant', content: 'yes' } }] }),
  command: () => 'rm -rf ./scratch',
  description: () => 'deletes',
  prompt: () => 'which one?',
  platform: () => 'cli',
};
const NAMES = Object.keys(FIELDS);
const IDS = ['turn_id', 'session_id', 'task_id', 'tool_call_id', 'api_request_id'];
const BAD_NAMES = ['__proto__', 'constructor', 'prototype', '', '\ud800', 'toString', 'then'];

function payloadOf(random, isLive, age) {
  if (isLive && random.oneIn(60)) return hostileValue(random, true);
  const payload = {};
  for (const name of IDS) if (random.oneIn(2)) payload[name] = FIELDS[name](random, age);
  const more = 2 + random.below(10);
  for (let i = 0; i < more; i++) {
    const name = random.of(NAMES);
    payload[name] = random.oneIn(9) ? hostileValue(random, isLive) : FIELDS[name](random, age);
  }
  if (random.oneIn(30)) {
    const value = hostileValue(random, isLive);
    const own = { value, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(payload, random.of(BAD_NAMES), own);
  }
  if (isLive && random.oneIn(40)) spoilField(random, payload, random.of(NAMES));
  return payload;
}

const BAD_CALLERS = [
  {},
  { traceparent: '00-0-0-0' },
  { traceparent: `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
  { traceparent: 'x'.repeat(20_000) },
  { traceparent: 7, tracestate: {}, baggage: [] },
  {
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`,
    tracestate: '=,=;\ud800',
    baggage: '=;%zz=%zz,__proto__=1',
  },
];

function callerOf(random) {
  if (random.oneIn(2)) return random.of(BAD_CALLERS);
  const traceId = (1 + random.below(2 ** 31)).toString(16).padStart(32, '0');
  return { traceparent: `00-${traceId}-00f067aa0ba902b7-0${random.below(4)}`, baggage: 'tenant=7' };
}

const BAD_SEQS = [Number.NaN, -1, 0.5, 2 ** 60, '7', null];
const BAD_TIMES = [
  '',
  'now',
  '-5',
  '99999999999999999999999999',
  '999999999999999999999999',
  '18446744073709551616',
  '0',
  1,
  null,
];
const BAD_LIVE_TIMES = [[Number.NaN, 0], [1e300, -5], [-1, 2e9], ['1', '2'], [], {}, 7, null];

/** Endless hook calls: `{ hook, payload, meta, isLive }`. */
export class HookCalls {
  #random;
  #millis = 0;
  #seqs = new Map();
  #producers = 0;
  #made = 0;
  /** Calls that are held back, to come in another order. */
  #held = [];
  /** Some of the last calls, to come again. */
  #past = [];

  constructor(random) {
    this.#random = random;
  }

  /** A turn that may be open now. */
  get turnId() {
    return FIELDS.turn_id(this.#random, Math.floor(this.#made / 60));
  }

  /** `isLive`: the call is made in this process, so anything may be in it; else it can be written as JSON. */
  next() {
    const random = this.#random;
    if (this.#past.length > 0 && random.oneIn(25)) return random.of(this.#past);
    let call = this.#make();
    if (random.oneIn(6)) {
      this.#held.push(call);
      if (this.#held.length > 20) call = this.#held.splice(random.below(this.#held.length), 1)[0];
      else call = this.#make();
    }
    // What is large or has a life of its own is not kept: the memory that is measured is not to be ours.
    if (!call.isLive && random.oneIn(50)) {
      this.#past.push(call);
      if (this.#past.length > 50) this.#past.shift();
    }
    return call;
  }

  #make() {
    const random = this.#random;
    const isLive = random.oneIn(2);
    const isKnown = !random.oneIn(40);
    const hook = isKnown ? random.of(HOOKS) : random.of(isLive && random.oneIn(2) ? NO_NAMES : NO_HOOKS);
    return {
      hook,
      payload: payloadOf(random, isLive, Math.floor(this.#made++ / 60)),
      meta: this.#meta(isLive),
      isLive,
    };
  }

  #meta(isLive) {
    const random = this.#random;
    this.#millis += random.oneIn(20) ? -random.below(100_000) : random.below(40);
    if (random.oneIn(20_000)) this.#millis += 3_600_000;
    const millis = Math.max(0, this.#millis);
    const meta = {
      timeUnixNano: `${1_790_000_000 + Math.floor(millis / 1000)}${String(millis % 1000).padStart(3, '0')}000000`,
    };
    if (random.oneIn(50)) meta.timeUnixNano = random.of(BAD_TIMES);
    if (isLive && random.oneIn(200)) meta.time = random.of(BAD_LIVE_TIMES);
    // Most producers stay, some come and go; a few tell no number of their records.
    const producer = random.oneIn(300) ? `gone-${this.#producers++}` : `p${random.below(12)}`;
    const seq = (this.#seqs.get(producer) ?? 0) + 1 + (random.oneIn(30) ? random.below(5) : 0);
    if (producer.startsWith('p')) this.#seqs.set(producer, seq);
    if (!random.oneIn(20)) Object.assign(meta, { producer, seq });
    if (random.oneIn(100)) meta.seq = isLive ? random.of(BAD_SEQS) : 1 + random.below(seq);
    if (random.oneIn(12)) meta.traceContext = callerOf(random);
    if (random.oneIn(10)) meta.profile = random.of(['work', 'home', '', '\ud800']);
    return meta;
  }
}
