// A model behind HTTP, at the address of the first argument.
import { generateText } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

const usage = { inputTokens: { total: 10, noCache: 10 }, outputTokens: { total: 5, text: 5 } };
const model = new MockLanguageModelV4({
  modelId: 'test-model',
  doGenerate: async () => {
    const text = await (await fetch(process.argv[2])).text();
    return { content: [{ type: 'text', text }], usage, warnings: [], finishReason: { unified: 'stop', raw: 'stop' } };
  },
});
console.log((await generateText({ model, prompt: 'How is the weather?' })).text);
