// Answers as both APIs do: first a 503, then a call of a tool, then a text; chat completions and messages alike.
import { createServer } from 'node:http';

const call = { id: 'call_1', name: 'weather', args: { city: 'Oslo' } };

export async function modelServer() {
  const requests = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = JSON.parse(Buffer.concat(parts).toString());
    requests.push(request.url);
    const send = (status, answer) => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' });
      response.end(JSON.stringify(answer));
    };
    const round = requests.filter((url) => url === request.url).length;
    if (round === 1) return send(503, { error: { message: 'busy' } });
    const isCall = round === 2;
    if (request.url.endsWith('/chat/completions')) {
      const named = { name: call.name, arguments: JSON.stringify(call.args) };
      const message = isCall
        ? { role: 'assistant', content: null, tool_calls: [{ id: call.id, type: 'function', function: named }] }
        : { role: 'assistant', content: 'Sunny.' };
      const choice = { index: 0, finish_reason: isCall ? 'tool_calls' : 'stop', message };
      const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
      return send(200, { id: 'c', object: 'chat.completion', created: 1, model: body.model, choices: [choice], usage });
    }
    const content = isCall
      ? [{ type: 'tool_use', id: call.id, name: call.name, input: call.args }]
      : [{ type: 'text', text: 'Sunny.' }];
    const stop_reason = isCall ? 'tool_use' : 'end_turn';
    const usage = { input_tokens: 10, output_tokens: 5 };
    return send(200, { id: 'm', type: 'message', role: 'assistant', model: body.model, content, stop_reason, usage });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}
