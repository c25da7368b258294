import { generateText, isStepCount, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { answers, observed } from './version-6.test-support.js';

const agent = (...steps: unknown[]) => {
  let step = 0;
  return {
    model: new MockLanguageModelV4({ modelId: 'm', doGenerate: async () => steps[step++] as never }),
    tools: {
      weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async () => ({ temperature: 21 }) }),
    },
    toolApproval: { weather: 'user-approval' as const },
    stopWhen: isStepCount(3),
    telemetry: { recordInputs: false },
  };
};

it.each([
  [true, ['  execute_tool weather: ok', '    approval weather: once']],
  [false, []],
])(
  'an answer of a person that is hidden with the inputs, allowed %s, is seen where the tool runs',
  async (approved, lines) => {
    const scene = observed();
    const prompt = 'How is the weather?';
    const { response } = await generateText({ ...agent(answers[0]), prompt });
    const parts = response.messages.flatMap(({ content }): unknown => content) as {
      type?: string;
      approvalId?: string;
    }[];
    const approvalId = parts.find(({ type }) => type === 'tool-approval-request')?.approvalId as string;
    await generateText({
      ...agent(answers[1]),
      messages: [
        { role: 'user', content: prompt },
        ...response.messages,
        { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved }] },
      ],
    });
    expect(JSON.stringify(scene.payloads('pre_tool_call'))).not.toContain('Oslo');
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat m: tool_calls 10>5',
      '  approval weather: pending',
      'invoke_agent hermes: completed',
      ...lines,
      '  chat m: stop 10>5',
    ]);
  },
);
