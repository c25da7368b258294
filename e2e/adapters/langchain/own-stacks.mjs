// A graph that asks a person, in a program that wants the frames of its stacks.
Error.prepareStackTrace = (_error, frames) => frames;
const { AIMessage } = await import('@langchain/core/messages');
const { fakeModel } = await import('@langchain/core/testing');
const { interrupt, MemorySaver, MessagesAnnotation, StateGraph } = await import('@langchain/langgraph');

const model = Object.assign(fakeModel().respond(new AIMessage('Sunny.')), {
  getLsParams: () => ({ ls_model_name: 'test-model' }),
});
const graph = new StateGraph(MessagesAnnotation)
  .addNode('ask', async ({ messages }) => {
    await model.invoke(messages);
    interrupt('question');
    return {};
  })
  .addEdge('__start__', 'ask')
  .compile({ checkpointer: new MemorySaver() });
const { __interrupt__ } = await graph.invoke({ messages: 'x' }, { configurable: { thread_id: 'thread-1' } });
console.log(__interrupt__ === undefined ? 'does not ask' : 'asks');
