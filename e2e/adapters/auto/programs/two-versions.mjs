// Two versions of the AI SDK in one program, which was installed under two names.
import { generateText } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { generateText as generateOlder } from 'ai-v7-lowest';

const usage = { inputTokens: { total: 10, noCache: 10 }, outputTokens: { total: 5, text: 5 } };
const model = new MockLanguageModelV4({
  modelId: 'test-model',
  doGenerate: async () => ({
    content: [{ type: 'text', text: 'Sunny.' }],
    usage,
    warnings: [],
    finishReason: { unified: 'stop', raw: 'stop' },
  }),
});
await generateText({ model, prompt: 'How is the weather?' });
await generateOlder({ model, prompt: 'How was the weather?' });
