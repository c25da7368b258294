// Agents of three frameworks, each with a model that answers from a script and, if it is given one, another agent as its tool.
import { AIMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { Agent, tool as agentsTool, run, Usage } from '@openai/agents';
import { assistantMessage, functionCall, modelResponse, ScriptedModel } from '@openai/agents/testing';
import { tool as aiTool, isStepCount, ToolLoopAgent } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { tool as chainTool, createAgent } from 'langchain';
import { z } from 'zod';

const INPUT = z.object({ question: z.string() });
const ARGS = { question: 'What is it like?' };
const DESCRIPTION = 'Asks a colleague';
/** Tokens of each request, in all frameworks. */
export const USAGE = { input: 10, output: 5 };

/**
 * @typedef {(question: string) => Promise<string>} AgentRun
 * @typedef {Record<string, AgentRun>} Colleagues tools by name
 */

/** @param {string} name @param {Colleagues} [colleagues] all of them are asked at once @returns {AgentRun} */
export function aiSdkAgent(name, colleagues = {}) {
  const usage = {
    inputTokens: { total: USAGE.input, noCache: USAGE.input },
    outputTokens: { total: USAGE.output, text: USAGE.output },
  };
  const names = Object.keys(colleagues);
  const steps = [
    names.map((toolName) => ({
      type: 'tool-call',
      toolCallId: `${name}_${toolName}`,
      toolName,
      input: JSON.stringify(ARGS),
    })),
    [{ type: 'text', text: `${name} is done.` }],
  ].slice(names.length > 0 ? 0 : 1);
  const model = new MockLanguageModelV4({
    modelId: 'model',
    doGenerate: async () => {
      const content = steps.shift();
      const unified = content[0].type === 'text' ? 'stop' : 'tool-calls';
      return { content, usage, warnings: [], finishReason: { unified, raw: unified } };
    },
  });
  const tools = Object.entries(colleagues).map(([id, ask]) => [
    id,
    aiTool({ description: DESCRIPTION, inputSchema: INPUT, execute: ({ question }) => ask(question) }),
  ]);
  const agent = new ToolLoopAgent({
    model,
    tools: Object.fromEntries(tools),
    stopWhen: isStepCount(3),
    telemetry: { functionId: name },
  });
  return async (prompt) => (await agent.generate({ prompt })).text;
}

/** @param {string} name @param {Colleagues} [colleagues] @returns {AgentRun} */
export function openAiAgent(name, colleagues = {}) {
  const names = Object.keys(colleagues);
  const usage = new Usage({ requests: 1, inputTokens: USAGE.input, outputTokens: USAGE.output });
  const steps = [
    names.map((id) => functionCall(id, ARGS, { callId: `${name}_${id}` })),
    [assistantMessage(`${name} is done.`)],
  ].slice(names.length > 0 ? 0 : 1);
  const tools = Object.entries(colleagues).map(([id, ask]) =>
    agentsTool({ name: id, description: DESCRIPTION, parameters: INPUT, execute: ({ question }) => ask(question) }),
  );
  const model = new ScriptedModel(steps.map((output) => modelResponse({ output, usage })));
  const agent = new Agent({ name, model, tools });
  return async (prompt) => (await run(agent, prompt)).finalOutput;
}

/** @param {string} name @param {Colleagues} [colleagues] @returns {AgentRun} */
export function langChainAgent(name, colleagues = {}) {
  const names = Object.keys(colleagues);
  const usage_metadata = {
    input_tokens: USAGE.input,
    output_tokens: USAGE.output,
    total_tokens: USAGE.input + USAGE.output,
  };
  const calls = names.map((id) => ({ name: id, args: ARGS, id: `${name}_${id}`, type: 'tool_call' }));
  const model = fakeModel();
  if (calls.length > 0) model.respond(new AIMessage({ content: '', tool_calls: calls, usage_metadata }));
  model.respond(new AIMessage({ content: `${name} is done.`, usage_metadata }));
  const tools = Object.entries(colleagues).map(([id, ask]) =>
    chainTool(({ question }) => ask(question), { name: id, description: DESCRIPTION, schema: INPUT }),
  );
  const agent = createAgent({ model, tools, name });
  return async (prompt) =>
    (await agent.invoke({ messages: [{ role: 'user', content: prompt }] })).messages.at(-1).content;
}
