// In TypeScript, which a loader makes JavaScript of.
import { generateText, type LanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

const model: LanguageModel = new MockLanguageModelV4({
  modelId: 'test-model',
  doGenerate: async () => ({
    content: [{ type: 'text', text: 'Sunny.' }],
    usage: {
      inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 5, text: 5, reasoning: undefined },
    },
    warnings: [],
    finishReason: { unified: 'stop', raw: 'stop' },
  }),
});
const { text } = await generateText({ model, prompt: 'How is the weather?' });
console.log(text);
