// A program that uses the AI SDK, and knows of no observer. Its first argument says what it does.
import { readFileSync, writeFileSync } from 'node:fs';
import { generateText, isStepCount, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';

const usage = { inputTokens: { total: 10, noCache: 10 }, outputTokens: { total: 5, text: 5 } };
const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'weather', input: '{"city":"Oslo"}' };
const model = (...steps) => {
  let step = 0;
  return new MockLanguageModelV4({
    provider: 'mock',
    modelId: 'test-model',
    doGenerate: async () => {
      const content = steps[step++];
      const unified = content[0].type === 'tool-call' ? 'tool-calls' : 'stop';
      return { content, usage, warnings: [], finishReason: { unified, raw: unified } };
    },
  });
};
const text = [{ type: 'text', text: 'Sunny.' }];
const options = {
  tools: { weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async () => ({ temperature: 21 }) }) },
  stopWhen: isStepCount(3),
};
const asking = { ...options, toolApproval: { weather: 'user-approval' } };
const [, , action, path] = process.argv;

if (action === 'run') {
  const { text: answer } = await generateText({
    ...options,
    model: model([call], text),
    prompt: 'How is the weather?',
  });
  console.log(answer);
} else if (action === 'ask') {
  const { response } = await generateText({ ...asking, model: model([call]), prompt: 'How is the weather?' });
  writeFileSync(path, JSON.stringify([{ role: 'user', content: 'How is the weather?' }, ...response.messages]));
} else {
  const messages = JSON.parse(readFileSync(path, 'utf8'));
  const { approvalId } = messages[1].content.find(({ type }) => type === 'tool-approval-request');
  const content = [{ type: 'tool-approval-response', approvalId, approved: action === 'allow' }];
  const answered = [...messages, { role: 'tool', content }];
  const { text: answer } = await generateText({ ...asking, model: model(text), messages: answered });
  console.log(answer);
}
