import { instrumentLangChain, type LangChainOptions, observerHandler, withSession } from '@hermes-observer/langchain';
import { createObserver } from '@hermes-observer/otel';
import type { BaseMessage } from '@langchain/core/messages';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { createAgent } from 'langchain';
import type { Same } from './same.js';

const options: LangChainOptions = { observer: createObserver({ agentName: 'planner' }), sessionKey: 'thread_id' };
const end: () => void = instrumentLangChain(options);

const State = Annotation.Root({ answer: Annotation<string> });
const graph = new StateGraph(State)
  .addNode('think', async () => ({ answer: 'Sunny.' }))
  .addEdge(START, 'think')
  .addEdge('think', END)
  .compile();
const plain = graph.invoke({ answer: '' });
const observed = withSession({ sessionId: 's-1' }, () => graph.invoke({ answer: '' }));
const isSame: Same<typeof plain, typeof observed> = true;
const answer: string = (await observed).answer;
const agent = createAgent({ model: new FakeListChatModel({ responses: ['Sunny.'] }), tools: [] });
// The handler is one of LangChain's, for calls that are observed alone.
const { messages } = await agent.invoke({ messages: 'How is the weather?' }, { callbacks: [observerHandler(options)] });
const last: BaseMessage | undefined = messages.at(-1);
// @ts-expect-error LangGraph's own types are as strict as before.
graph.invoke({ answer: 1 });
console.log(end, isSame, answer, last);
