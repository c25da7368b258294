// Turns of agents as hook records: most of them ordinary, some of each kind that a tail sampler must keep.

const START_SECONDS = 1_790_000_000;
const MILLI = 1_000_000n;

/** xorshift: the same seed gives the same turns. */
export function randomOf(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** One turn that is told record by record, on a clock of its own. */
class Turn {
  records = [];
  #nanos;
  #ids;
  #requests = 0;
  #tools = 0;

  constructor(turn_id, startMillis) {
    const session_id = `session-of-${turn_id}`;
    this.#ids = { turn_id, session_id, task_id: session_id };
    this.#nanos = BigInt(START_SECONDS) * 1_000_000_000n + BigInt(Math.round(startMillis)) * MILLI;
    this.say('pre_llm_call', { model: 'gpt-5', platform: 'cli', user_message: 'hello' });
  }

  wait(millis) {
    this.#nanos += BigInt(Math.round(millis)) * MILLI;
    return this;
  }

  say(hook, payload) {
    this.records.push({ hook, time: this.#nanos, payload: { ...this.#ids, ...payload } });
    return this;
  }

  /** A model request. `failures`: attempts that failed before. */
  request({ millis = 400, failures = 0, dies = false, input = 900, output = 40 } = {}) {
    const request = {
      api_request_id: `${this.#ids.turn_id}:api:${++this.#requests}`,
      model: 'gpt-5',
      provider: 'openai',
    };
    for (let attempt = 0; attempt <= failures; attempt++) {
      this.say('pre_api_request', { ...request, api_call_count: this.#requests, retry_count: attempt }).wait(millis);
      if (attempt < failures || dies) {
        const error = { type: 'InternalServerError', message: 'no' };
        this.say('api_request_error', { ...request, status_code: 500, retry_count: attempt, error });
      }
    }
    if (dies) return this;
    const usage = { prompt_tokens: input, output_tokens: output };
    return this.say('post_api_request', { ...request, response_model: 'gpt-5', finish_reason: 'stop', usage }).wait(5);
  }

  /** A tool call; `asks` is what a person answers before. */
  tool({ tool_name = 'terminal', millis = 100, status = 'ok', error_type = null, asks, policy, inside } = {}) {
    const call = { tool_name, tool_call_id: `${this.#ids.turn_id}:call:${++this.#tools}` };
    this.say('pre_tool_call', { ...call, args: {} }).wait(2);
    if (policy !== undefined) this.say('observer_policy_decision', { ...call, gate: 'rules', outcome: policy }).wait(1);
    if (asks !== undefined) {
      const question = { ...call, surface: 'cli', pattern_key: 'rm' };
      this.say('pre_approval_request', question)
        .wait(900)
        .say('post_approval_response', { ...question, choice: asks });
    }
    inside?.();
    return this.wait(millis)
      .say('post_tool_call', { ...call, status, error_type, result: '{}', duration_ms: millis })
      .wait(3);
  }

  /** A subagent under the call that is open now; returns the rest of its run, to be told when it is wanted. */
  subagent(childStatus) {
    const { turn_id, session_id } = this.#ids;
    const child = { child_session_id: `child-of-${turn_id}`, child_subagent_id: `agent-of-${turn_id}` };
    const parents = { parent_session_id: session_id, parent_turn_id: turn_id };
    const own = { session_id: child.child_session_id, task_id: child.child_subagent_id, turn_id: `${turn_id}:child` };
    this.say('subagent_start', { ...parents, ...child, child_role: 'leaf', session_id });
    this.say('pre_llm_call', { ...own, model: 'gpt-5' });
    return () => {
      const call = { ...own, tool_name: 'web_search', tool_call_id: `${turn_id}:child:call` };
      this.say('pre_tool_call', call).wait(50);
      this.say('post_tool_call', { ...call, status: childStatus === 'failed' ? 'error' : 'ok' }).wait(5);
      this.say('on_session_end', { ...own, completed: childStatus === 'completed', failed: childStatus === 'failed' });
      this.say('subagent_stop', { ...parents, ...child, child_status: childStatus, session_id });
    };
  }

  end(outcome = { completed: true }) {
    return this.say('on_session_end', outcome);
  }
}

/** How each kind of turn goes. All but `ordinary` are to be kept. */
const KINDS = {
  ordinary: (turn, random) => {
    const rounds = 1 + Math.floor(random() * 4);
    for (let i = 0; i < rounds; i++)
      turn.request({ millis: 200 + random() * 3_000 }).tool({ millis: random() * 2_000 });
    turn.request().end();
  },
  'ordinary, with a subagent that came back': (turn) => {
    turn.request();
    turn
      .tool({ tool_name: 'delegate_task', inside: () => turn.subagent('completed')() })
      .request()
      .end();
  },
  'ordinary, with a call that a person allowed': (turn) => turn.request().tool({ asks: 'once' }).request().end(),
  'error of a tool': (turn) => turn.request().tool({ status: 'error', error_type: 'tool_error' }).request().end(),
  'timeout of a tool': (turn) => turn.request().tool({ status: 'timeout' }).request().end(),
  'request that failed for good': (turn) =>
    turn.request({ failures: 2, dies: true }).end({ failed: true, completed: false }),
  'error in a subagent': (turn) => {
    turn.request();
    turn
      .tool({ tool_name: 'delegate_task', inside: () => turn.subagent('failed')() })
      .request()
      .end();
  },
  'blocked call': (turn) => turn.request().tool({ status: 'blocked', error_type: 'plugin_block' }).request().end(),
  'call that a person denied': (turn) => turn.request().tool({ asks: 'deny', status: 'blocked' }).request().end(),
  'denial alone': (turn) => turn.request().tool({ asks: 'deny' }).request().end(),
  'call that a policy denied': (turn) => turn.request().tool({ policy: 'deny' }).request().end(),
  'slow turn': (turn) => turn.request({ millis: 130_000 }).tool().end(),
  'expensive request': (turn) => turn.request({ input: 180_000 }).end(),
  'long answer': (turn) => turn.request({ output: 9_000 }).end(),
  'many requests': (turn) => {
    for (let i = 0; i < 31; i++) turn.request({ millis: 20 });
    turn.end();
  },
  'retried request': (turn) => turn.request({ failures: 1 }).tool().end(),
  'interrupted turn': (turn) => turn.request().end({ completed: false, interrupted: true }),
};
const ORDINARY = Object.keys(KINDS).filter((kind) => kind.startsWith('ordinary'));
const ERRORS = ['error of a tool', 'timeout of a tool', 'request that failed for good', 'error in a subagent'];
const OTHERS = Object.keys(KINDS).filter((kind) => !ORDINARY.includes(kind) && !ERRORS.includes(kind));

export const isOrdinary = (kind) => ORDINARY.includes(kind);
export const isError = (kind) => ERRORS.includes(kind);

/**
 * `count` turns in a mixed order, 1 % of them with an error and 0.25 % of each other kind; some fifty run at a time.
 * Returns the records by time, and the kind of each turn id.
 */
export function mixedTurns(count, seed) {
  const random = randomOf(seed);
  const kinds = Array.from({ length: count }, (_, i) => {
    if (i < count / 100) return ERRORS[i % ERRORS.length];
    if (i < count / 100 + (count / 400) * OTHERS.length) return OTHERS[i % OTHERS.length];
    return ORDINARY[random() < 0.9 ? 0 : 1 + Math.floor(random() * 2)];
  });
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [kinds[i], kinds[j]] = [kinds[j], kinds[i]];
  }
  const kindOf = new Map();
  const records = kinds.flatMap((kind, i) => {
    const id = `turn-${seed}-${i}`;
    kindOf.set(id, kind);
    const turn = new Turn(id, i * 100);
    KINDS[kind](turn, random);
    return turn.records;
  });
  records.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  return { kindOf, lines: linesOf(records) };
}

/** A turn of many tool calls, the last of which fails; nothing before is of interest. */
export function longRun(id) {
  const turn = new Turn(id, 0);
  for (let i = 0; i < 5; i++) turn.request().tool();
  return linesOf(turn.tool({ status: 'error' }).end().records);
}

/** A turn that ends while its subagent is at work, which fails later. */
export function backgroundRun(id) {
  const turn = new Turn(id, 0);
  let rest = () => {};
  turn.request().tool({
    tool_name: 'delegate_task',
    inside: () => {
      rest = turn.subagent('failed');
    },
  });
  turn.request().end().wait(500);
  rest();
  return linesOf(turn.records);
}

function linesOf(records) {
  return records.map(({ hook, time, payload }, i) =>
    JSON.stringify({ hook, time_unix_nano: String(time), seq: i + 1, producer: 'tail-sampling', payload }),
  );
}
