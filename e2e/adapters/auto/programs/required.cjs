// Requires what it uses, where the framework is an ES module.
const { generateText } = require('ai');
const { MockLanguageModelV4 } = require('ai/test');

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
generateText({ model, prompt: 'How is the weather?' }).then(({ text }) => console.log(text));
