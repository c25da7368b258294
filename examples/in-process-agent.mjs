// An agent in this process, with a model that is made up: it calls tools, two at a time, tries a failed request again,
// asks before it writes, hands work to a second agent, and streams its answer. Prints the answer and the trace.
//
//   node examples/in-process-agent.mjs [OUT]
//
// The trace goes to OUT as OTLP/JSON, by default to a file in the temporary folder. A real agent leaves `exporters`
// out: then it goes over OTLP to localhost:4318, or wherever OTEL_EXPORTER_OTLP_ENDPOINT says.
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createObserver, OtlpFileExporter } from '@hermes-observer/otel';

const [path = join(tmpdir(), 'in-process-agent.otlp.jsonl')] = process.argv.slice(2);

const observer = createObserver({
  serviceName: 'trip-planner',
  agentName: 'planner',
  exporters: [new OtlpFileExporter({ path })],
  // Asked when a responder below wants a call approved. A real one asks a person.
  approve: async ({ toolName }) => (toolName === 'book_table' ? 'once' : 'deny'),
});

// What may not run without a person, and what may not run at all.
observer.hub.respond('pre_tool_call', ({ tool_name, args }) => {
  if (tool_name === 'book_table') return { action: 'approve', message: 'It costs money.' };
  if (tool_name === 'read_file' && args.path.startsWith('/'))
    return { action: 'block', message: 'Only relative paths.' };
});

const model = scriptedModel();

const tools = {
  weather: async ({ city }) => {
    await sleep(5);
    return `${city}: sunny`;
  },
  read_file: async ({ path }) => `contents of ${path}`,
  book_table: async ({ at }) => `a table at ${at}`,
  // A tool that is an agent itself: it belongs to the call it runs in.
  research: ({ topic }, call) =>
    call.subagent({ role: 'researcher', goal: topic }, (child) => agentLoop(child, [{ role: 'user', content: topic }])),
};

async function agentLoop(turn, messages) {
  for (;;) {
    const { choices } = await turn.request(
      { model: 'gpt-5', provider: 'openai', messages, signal: turn.signal },
      (request) => withRetry(() => request.attempt(() => model.complete(messages))),
    );
    const [{ message }] = choices;
    messages.push(message);
    if (message.tool_calls === undefined) return message.content;
    messages.push(...(await Promise.all(message.tool_calls.map((call) => runTool(turn, call)))));
  }
}

async function runTool(turn, { id, function: { name, arguments: text } }) {
  const content = await turn.tool(
    // Without `onBlocked` a blocked call throws a `ToolBlockedError`. The model is told why either way.
    { name, args: JSON.parse(text), callId: id, onBlocked: ({ reason }) => `Not allowed: ${reason}` },
    tools[name],
  );
  return { role: 'tool', tool_call_id: id, content };
}

async function withRetry(attempt) {
  for (let left = 3; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (error.status !== 429 || left === 0) throw error;
      await sleep(5);
    }
  }
}

/** The turn gives a stream, so it ends when the stream has been read. */
const answer = await observer.turn(
  { sessionId: 'chat-1', userMessage: 'Dinner in Rome?', platform: 'cli' },
  async (turn) => {
    const messages = [{ role: 'user', content: 'Dinner in Rome?' }];
    await agentLoop(turn, messages);
    return turn.request({ model: 'gpt-5', provider: 'openai', messages }, () => model.stream(messages));
  },
);
for await (const { choices } of answer) process.stdout.write(choices[0]?.delta.content ?? '');
console.log('\n');

await observer.shutdown();
printTree(path);

function printTree(file) {
  const spans = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap((scope) => scope.spans)
    .sort((a, b) => (BigInt(a.startTimeUnixNano) < BigInt(b.startTimeUnixNano) ? -1 : 1));
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const print = (span, depth) => {
    const events = (span.events ?? []).map(({ name }) => `  ! ${name}`).join('');
    const value = (key) => span.attributes.find((attribute) => attribute.key === key)?.value;
    const status = value('hermes.tool.status')?.stringValue ?? value('hermes.approval.choice')?.stringValue;
    console.log(`${'  '.repeat(depth)}${span.name}${status ? ` [${status}]` : ''}${events}`);
    for (const child of spans) if (child.parentSpanId === span.spanId) print(child, depth + 1);
  };
  for (const span of spans) if (!ids.has(span.parentSpanId)) print(span, 0);
}

/** Stands in for an OpenAI client: answers from a script, the way `client.chat.completions.create` would. */
function scriptedModel() {
  const script = [
    [
      ['weather', { city: 'Rome' }],
      ['research', { topic: 'trattorie' }],
    ],
    [['read_file', { path: '/etc/passwd' }]],
    [['book_table', { at: 'Da Enzo' }]],
  ];
  let failed = false;
  return {
    async complete(messages) {
      await sleep(2);
      if (!failed) {
        failed = true;
        throw Object.assign(new Error('Too many requests'), { name: 'RateLimitError', status: 429 });
      }
      const [{ content: task }] = messages;
      const rounds = messages.filter(({ role }) => role === 'assistant').length;
      const calls = task === 'Dinner in Rome?' ? (script[rounds] ?? []) : [];
      const message = { role: 'assistant', content: calls.length > 0 ? null : 'Done.' };
      if (calls.length > 0) {
        message.tool_calls = calls.map(([name, args], n) => ({
          id: `call_${rounds}_${n}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        }));
      }
      return {
        object: 'chat.completion',
        model: 'gpt-5-2026',
        choices: [{ index: 0, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop', message }],
        usage: {
          prompt_tokens: 100 * messages.length,
          completion_tokens: 20,
          total_tokens: 100 * messages.length + 20,
        },
      };
    },
    async *stream() {
      for (const content of ['A table ', 'at Da Enzo, ', 'and it stays dry.']) {
        await sleep(2);
        yield { model: 'gpt-5-2026', choices: [{ index: 0, delta: { content }, finish_reason: null }] };
      }
      yield { model: 'gpt-5-2026', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
      yield {
        model: 'gpt-5-2026',
        choices: [],
        usage: { prompt_tokens: 700, completion_tokens: 9, total_tokens: 709 },
      };
    },
  };
}
