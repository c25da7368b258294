// Answers in the shapes of the three APIs, with the tokens of the conformance kit: 10 in, 5 out.

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}

const chatUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

export const chatAnswer = (model: string, text: string | null, calls: readonly Call[] = []) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model,
  choices: [
    {
      index: 0,
      finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      logprobs: null,
      message: {
        role: 'assistant',
        content: text,
        refusal: null,
        ...(calls.length === 0
          ? {}
          : {
              tool_calls: calls.map(({ id, name, args }) => ({
                id,
                type: 'function',
                function: { name, arguments: JSON.stringify(args) },
              })),
            }),
      },
    },
  ],
  usage: chatUsage,
});

const chunk = (model: string, choices: object[], usage: object | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model,
  choices,
  usage,
});

export const chatDeltas = (model: string, count: number) =>
  Array.from({ length: count }, () =>
    chunk(model, [{ index: 0, delta: { role: 'assistant', content: 'w' }, finish_reason: null }]),
  );

/** The last chunks; usage comes after the finish reason, if it was asked for. */
export const chatEnd = (model: string, includesUsage = true) => [
  chunk(model, [{ index: 0, delta: {}, finish_reason: 'stop' }]),
  ...(includesUsage ? [chunk(model, [], chatUsage)] : []),
];

/** A call in pieces. */
export const chatCallChunks = (model: string, { id, name, args }: Call) => {
  const text = JSON.stringify(args);
  const delta = (call: object) => chunk(model, [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }]);
  return [
    delta({ index: 0, id, type: 'function', function: { name, arguments: '' } }),
    delta({ index: 0, function: { arguments: text.slice(0, 4) } }),
    delta({ index: 0, function: { arguments: text.slice(4) } }),
    chunk(model, [{ index: 0, delta: {}, finish_reason: 'tool_calls' }]),
    chunk(model, [], chatUsage),
  ];
};

const messageUsage = { input_tokens: 10, output_tokens: 5 };

export const messageAnswer = (model: string, text: string | null, calls: readonly Call[] = []) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  content: [
    ...(text === null ? [] : [{ type: 'text', text, citations: null }]),
    ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
  ],
  stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: messageUsage,
});

export const messageStart = (model: string, usage: object = { input_tokens: 10, output_tokens: 1 }) => [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
];

export const messageDeltas = (count: number) =>
  Array.from({ length: count }, () => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'w' },
  }));

export const messageEnd = (reason = 'end_turn', usage: object = { output_tokens: 5 }) => [
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
  { type: 'message_stop' },
];

export const messageCallEvents = ({ id, name, args }: Call) => [
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id, name, input: {} } },
  {
    type: 'content_block_delta',
    index: 1,
    delta: { type: 'input_json_delta', partial_json: JSON.stringify(args).slice(0, 4) },
  },
  {
    type: 'content_block_delta',
    index: 1,
    delta: { type: 'input_json_delta', partial_json: JSON.stringify(args).slice(4) },
  },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
];

export const responseAnswer = (model: string, text: string | null, calls: readonly Call[] = [], id = 'resp_1') => ({
  id,
  object: 'response',
  created_at: 1,
  status: 'completed',
  model,
  incomplete_details: null,
  output: [
    ...(text === null
      ? []
      : [
          {
            type: 'message',
            id: 'm_1',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...calls.map(({ id: call_id, name, args }) => ({
      type: 'function_call',
      id: `fc_${call_id}`,
      call_id,
      name,
      arguments: JSON.stringify(args),
      status: 'completed',
    })),
  ],
  usage: {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens_details: { reasoning_tokens: 2 },
  },
});

export const responseEvents = (model: string, count: number) => [
  {
    type: 'response.created',
    sequence_number: 0,
    response: { ...responseAnswer(model, null), status: 'in_progress', usage: null },
  },
  {
    type: 'response.output_item.added',
    sequence_number: 1,
    output_index: 0,
    item: { type: 'message', id: 'm_1', role: 'assistant', status: 'in_progress', content: [] },
  },
  {
    type: 'response.content_part.added',
    sequence_number: 2,
    item_id: 'm_1',
    output_index: 0,
    content_index: 0,
    part: { type: 'output_text', text: '', annotations: [] },
  },
  ...Array.from({ length: count }, (_, i) => ({
    type: 'response.output_text.delta',
    sequence_number: 3 + i,
    item_id: 'm_1',
    output_index: 0,
    content_index: 0,
    delta: 'w',
    logprobs: [],
  })),
];

export const responseEnd = (model: string, text: string) => [
  { type: 'response.completed', sequence_number: 99, response: responseAnswer(model, text) },
];
