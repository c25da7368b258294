import Anthropic from '@anthropic-ai/sdk';
import { instrumentOpenAI, observeAnthropic, observeOpenAI, withTurn } from '@hermes-observer/clients';
import { createObserver } from '@hermes-observer/otel';
import OpenAI, * as openai from 'openai';
import type { Same } from './same.js';

const observer = createObserver({ agentName: 'planner' });
const end: () => void = instrumentOpenAI({ module: openai, observer });
const client = observeOpenAI(new OpenAI({ apiKey: 'k' }), { observer });
const isSameOpenAI: Same<typeof client, OpenAI> = true;
const anthropic = observeAnthropic(new Anthropic({ apiKey: 'k' }), { observer });
const isSameAnthropic: Same<typeof anthropic, Anthropic> = true;

const answer = await withTurn({ sessionId: 's-1' }, () =>
  client.chat.completions.create({ model: 'large', messages: [{ role: 'user', content: 'How is the weather?' }] }),
);
const text: string | null | undefined = answer.choices[0]?.message.content;
const stream = await client.chat.completions.create({ model: 'large', messages: [], stream: true });
for await (const { choices } of stream) console.log(choices[0]?.delta.content?.length);
const { usage } = await anthropic.messages.create({ model: 'm', max_tokens: 10, messages: [] });
const tokens: number = usage.input_tokens;
// @ts-expect-error The client's own types are as strict as before.
client.chat.completions.create({ model: 'large' });
console.log(end, isSameOpenAI, isSameAnthropic, text, tokens);
