// An agent that ends as its arguments say: `ends.mjs exit`, or `ends.mjs open-exit` while it waits for its model. Behind that, a file beside
// whose packages is `signal-exit`.
import { createRequire } from 'node:module';
import { generateText } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

const [way, isOpen] = process.argv[2].startsWith('open-') ? [process.argv[2].slice(5), true] : [process.argv[2], false];

function end() {
  if (way === 'exit') process.exit(3);
  if (way === 'throw') setImmediate(() => raise('thrown'));
  if (way === 'reject') Promise.reject(new Error('rejected'));
  if (way === 'handled') process.on('SIGTERM', () => process.exit(4));
  if (way !== 'handled' && way !== 'signal') return;
  if (process.argv[3] !== undefined) {
    const exit = createRequire(process.argv[3])('signal-exit');
    (exit.onExit ?? exit)(() => console.log('cleans up'));
  }
  // A program that would go on.
  setTimeout(() => {}, 10_000);
  process.kill(process.pid, 'SIGTERM');
}

function raise(text) {
  throw new Error(text);
}

const usage = { inputTokens: { total: 10, noCache: 10 }, outputTokens: { total: 5, text: 5 } };
const model = new MockLanguageModelV4({
  modelId: 'test-model',
  doGenerate: async () => {
    if (isOpen) {
      end();
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
    const content = [{ type: 'text', text: 'Sunny.' }];
    return { content, usage, warnings: [], finishReason: { unified: 'stop', raw: 'stop' } };
  },
});
await generateText({ model, prompt: 'How is the weather?' });
end();
