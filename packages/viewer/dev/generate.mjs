// Turns of any size, and one that is still running, in the shape of read-otlp.mjs.

const hex = (value, digits) => value.toString(16).padStart(digits, '0');

/** A small fast generator of numbers, so that the same size gives the same turn. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A turn of `count` spans: requests, tools, some child agents, one blocked call, one that failed, one human wait. */
export function generateTurn(count, { running = false, startMillis = Date.now() - 600_000, seed = count } = {}) {
  const random = randomFrom(seed);
  const trace = `${hex(0xfeed, 4)}${hex(count, 12)}${hex(seed, 16)}`;
  const base = BigInt(Math.floor(startMillis)) * 1_000_000n;
  const resource = { 'service.name': 'hermes-agent', 'host.name': 'fixture' };
  const scope = { name: 'fixtures' };
  const spans = [];
  const add = (name, parent, start, end, attributes, more = {}) => {
    const id = hex(Math.floor(random() * 2 ** 32), 8) + hex(spans.length, 8);
    const span = {
      trace,
      id,
      parent: parent?.id ?? null,
      name,
      start: base + BigInt(Math.round(start)),
      end: end === null ? null : base + BigInt(Math.round(end)),
      attributes,
      events: [],
      links: [],
      status: { code: 0 },
      resource,
      scope,
      ...more,
    };
    spans.push(span);
    return span;
  };
  const perStep = 4e8;
  const callOf = new Map();
  const root = add('invoke_agent hermes', null, 0, 0, {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'hermes',
    'hermes.turn.id': `turn-${count}-${seed}`,
    'gen_ai.conversation.id': `session-${seed}`,
    'hermes.turn.outcome': 'completed',
    'gen_ai.input.messages': JSON.stringify([
      { role: 'user', parts: [{ type: 'text', content: `A generated turn of ${count} spans` }] },
    ]),
  });
  let time = 1e7;
  let parent = root;
  let left = 0;
  while (spans.length < count) {
    if (left-- <= 0) {
      if (parent !== root) {
        parent.end = base + BigInt(Math.round(time));
        callOf.get(parent).end = parent.end + 2_000_000n;
      }
      parent = root;
      if (count > 20 && random() < 0.3 && spans.length < count - 3) {
        const call = add('execute_tool delegate_task', root, time, null, {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'delegate_task',
          'hermes.tool.status': 'ok',
        });
        parent = add('invoke_agent leaf', call, time + 1e6, null, {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'leaf',
          'gen_ai.agent.id': `child-${spans.length}`,
          'hermes.subagent.status': 'completed',
        });
        callOf.set(parent, call);
      }
      left = 2 + Math.floor(random() * 12);
    }
    const long = perStep * (0.2 + random());
    const step = spans.length;
    if (step % 3 === 1) {
      add('chat large-1', parent, time, time + long, {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'large-1',
        'gen_ai.usage.input_tokens': 900 + step,
        'gen_ai.usage.output_tokens': 40,
        'hermes.api.attempts': step % 17 === 1 ? 2 : 1,
      });
    } else {
      const name = ['read_file', 'terminal', 'web_search', 'write_file'][Math.floor(random() * 4)];
      const status =
        step === 9
          ? 'blocked'
          : step % 97 === 20
            ? 'error'
            : step % 131 === 30
              ? 'timeout'
              : step % 113 === 40
                ? 'cancelled'
                : 'ok';
      add(
        `execute_tool ${name}`,
        parent,
        time,
        time + long / 3,
        {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': name,
          'hermes.tool.status': status,
          'hermes.tool.blocked_by': status === 'blocked' ? 'path_policy' : undefined,
          'gen_ai.tool.call.arguments': JSON.stringify({ path: `/srv/data/${step}.txt` }),
          'gen_ai.tool.call.result':
            status === 'blocked' ? '{"error":"Files outside the project may not be read."}' : '{"ok":true}',
        },
        status === 'error' || status === 'timeout' ? { status: { code: 2, message: 'failed' } } : {},
      );
    }
    time += long * (step % 3 === 1 ? 1.02 : 0.35);
  }
  for (const span of spans) {
    if (span.end !== null && span !== root) continue;
    span.end = base + BigInt(Math.round(time));
  }
  root.end = base + BigInt(Math.round(time + 2e7));
  if (running) {
    root.end = null;
    delete root.attributes['hermes.turn.outcome'];
    root.attributes['hermes.turn.kind'] = 'user';
    const shift = BigInt(Date.now()) * 1_000_000n - base - BigInt(Math.round(time)) - 3_000_000_000n;
    for (const span of spans) {
      span.start += shift;
      if (span.end !== null) span.end += shift;
    }
    const call = add('execute_tool terminal', root, 0, null, {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'terminal',
    });
    const wait = add('approval terminal', call, 0, null, {
      'hermes.approval.command': 'rm -rf ./build',
      'hermes.approval.surface': 'cli',
    });
    call.start = root.start + BigInt(Math.round(time + 1e8));
    wait.start = call.start + 200_000_000n;
  }
  return spans;
}
