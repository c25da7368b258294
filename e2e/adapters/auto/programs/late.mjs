import { generateText } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

const usage = { inputTokens: { total: 10, noCache: 10 }, outputTokens: { total: 5, text: 5 } };
export async function run() {
  const model = new MockLanguageModelV4({
    modelId: 'test-model',
    doGenerate: async () => ({
      content: [{ type: 'text', text: 'Sunny.' }],
      usage,
      warnings: [],
      finishReason: { unified: 'stop', raw: 'stop' },
    }),
  });
  console.log((await generateText({ model, prompt: 'How is the weather?' })).text);
}
