// An agent that is a loop around the plain clients of OpenAI and Anthropic, against a server of its own that answers as both do: first
// with a 503. The planner asks by one client, the researcher that it delegates to by the other. Prints its spans.
//
// node examples/clients-agent.mjs
import { createServer } from 'node:http';
import { Anthropic } from '@anthropic-ai/sdk';
import { observeAnthropic, observeOpenAI, withTool, withTurn } from '@hermes-observer/clients';
import { createObserver } from '@hermes-observer/otel';
import { OpenAI } from 'openai';

const spans = [];
const exporter = { export: (ended, done) => done({ code: spans.push(...ended) && 0 }), shutdown: async () => {} };
const observer = createObserver({ agentName: 'planner', exporters: [exporter] });

const calls = [
  { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
  { id: 'call_2', type: 'function', function: { name: 'research', arguments: '{"topic":"dinner"}' } },
];
const chat = (message, finish_reason) => ({
  object: 'chat.completion',
  model: 'large-model',
  choices: [{ index: 0, finish_reason, message: { role: 'assistant', ...message } }],
  usage: { prompt_tokens: 120, completion_tokens: 12 },
});
const answers = [
  [503, { error: { message: 'busy' } }],
  [200, chat({ content: null, tool_calls: calls }, 'tool_calls')],
  [
    200,
    {
      type: 'message',
      role: 'assistant',
      model: 'small-model',
      content: [{ type: 'text', text: 'Trattoria da Enzo.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 40, output_tokens: 8 },
    },
  ],
  [200, chat({ content: 'Da Enzo, outside.' }, 'stop')],
];
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const [status, body] = answers.shift();
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' });
    response.end(JSON.stringify(body));
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;

const openai = observeOpenAI(new OpenAI({ apiKey: 'none', baseURL: `${url}/v1` }), { observer });
const anthropic = observeAnthropic(new Anthropic({ apiKey: 'none', baseURL: url }), { observer });

const tools = {
  weather: () => ({ temperature: 21 }),
  research: ({ topic }) =>
    withTurn({ agentName: 'researcher', userMessage: topic }, async () => {
      const messages = [{ role: 'user', content: topic }];
      const { content } = await anthropic.messages.create({ model: 'small-model', max_tokens: 99, messages });
      return content[0].text;
    }),
};

const text = await withTurn({ userMessage: 'Dinner in Rome?' }, async () => {
  const messages = [{ role: 'user', content: 'Dinner in Rome?' }];
  for (;;) {
    const { choices } = await openai.chat.completions.create({ model: 'large-model', messages });
    const { message } = choices[0];
    if (message.tool_calls === undefined) return message.content;
    messages.push(message);
    for (const { id, function: asked } of message.tool_calls) {
      const args = JSON.parse(asked.arguments);
      const result = await withTool({ name: asked.name, callId: id, args }, () => tools[asked.name](args));
      messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(result) });
    }
  }
});
console.log(text);

server.close();
server.closeAllConnections();
await observer.shutdown();
const below = (parent, depth) => {
  for (const span of spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent).sort(byStart)) {
    console.log('  '.repeat(depth) + span.name + span.events.map(({ name }) => `  ! ${name}`).join(''));
    below(span.spanContext().spanId, depth + 1);
  }
};
const byStart = (a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1];
below(undefined, 0);
