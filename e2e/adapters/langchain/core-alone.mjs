// A program with nothing but `@langchain/core`, which brings no storage for the runs. Prints what a handler of its own is told,
// before and after it brings that storage.

import { AIMessage } from '@langchain/core/messages';
import { RunnableLambda } from '@langchain/core/runnables';
import { fakeModel } from '@langchain/core/testing';

const told = [];
const handler = {
  handleChainStart: (_chain, _inputs, _id, parent, tags) => told.push(['chain', parent !== undefined, tags]),
  handleChatModelStart: (_llm, _messages, _id, parent) => told.push(['model', parent !== undefined]),
};
const model = () =>
  Object.assign(fakeModel().respond(new AIMessage({ content: 'Sunny.', id: 'message-1' })), {
    getLsParams: () => ({ ls_model_name: 'test-model' }),
  });
const inner = RunnableLambda.from(async () => (await model().invoke('x', { callbacks: [handler] })).id);
const outer = RunnableLambda.from(() => inner.invoke(1, { callbacks: [handler] }));
const run = () => outer.invoke(1, { callbacks: [handler], tags: ['outer'] });
const first = await run();
// Brings the storage: from now on a run hands its configuration on to those in its code.
await import('@langchain/core/context');
console.log(JSON.stringify([first, await run(), told]));
