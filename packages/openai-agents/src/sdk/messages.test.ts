import { expect, it } from 'vitest';
import { recordedMessages, userMessageOf } from './messages.js';

it('items are messages, with calls and results under the ids that the program knows', () => {
  const items = [
    { role: 'user', content: 'hi' },
    { type: 'reasoning', id: 'rs_1', content: [{ type: 'input_text', text: 'hm' }] },
    { type: 'reasoning', content: [], rawContent: [{ type: 'reasoning_text', text: 'deep' }] },
    { type: 'function_call', id: 'fc_1', callId: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
    {
      type: 'function_call_result',
      id: 'fco_1',
      callId: 'call_1',
      name: 'weather',
      output: { type: 'text', text: 'wet' },
    },
    { type: 'function_call_result', callId: 'call_2', name: 'weather', output: 'dry' },
    { type: 'computer_call', id: 'cu_1', callId: 'call_3', action: { type: 'screenshot' } },
    {
      type: 'computer_call_result',
      callId: 'call_3',
      output: { type: 'computer_screenshot', data: 'data:image/png;base64,AQID' },
    },
    { type: 'shell_call_output', callId: 'call_4', output: [{ stdout: 'a', stderr: '' }] },
    { type: 'hosted_tool_call', id: 'ws_1', name: 'web_search_call', arguments: '{"q":1}', output: 'found' },
    { type: 'compaction', encrypted_content: 'x' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'so' }] },
  ];
  expect(recordedMessages(items)).toEqual([
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [{ type: 'reasoning', content: 'hm' }] },
    { role: 'assistant', content: [{ type: 'reasoning', content: 'deep' }] },
    { role: 'assistant', tool_calls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }] },
    { role: 'tool', tool_call_id: 'call_1', content: 'wet' },
    { role: 'tool', tool_call_id: 'call_2', content: 'dry' },
    { role: 'assistant', tool_calls: [{ id: 'call_3', name: 'computer', arguments: '{"type":"screenshot"}' }] },
    {
      role: 'tool',
      tool_call_id: 'call_3',
      content: { type: 'blob', mime_type: 'image/png', modality: 'image', content: 'AQID' },
    },
    { role: 'tool', tool_call_id: 'call_4', content: [{ stdout: 'a', stderr: '' }] },
    {
      role: 'assistant',
      content: [
        { type: 'tool_call', id: 'ws_1', name: 'web_search_call', arguments: { q: 1 } },
        { type: 'tool_call_response', id: 'ws_1', response: 'found' },
      ],
    },
    { role: 'assistant', content: [{ type: 'compaction', encrypted_content: 'x' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'so' }] },
  ]);
});

it.each([
  [
    { type: 'input_image', image: 'https://x/y.png' },
    { type: 'uri', modality: 'image', uri: 'https://x/y.png' },
  ],
  [
    { type: 'input_image', image: 'data:image/png;base64,AQID' },
    { type: 'blob', mime_type: 'image/png', modality: 'image', content: 'AQID' },
  ],
  [
    { type: 'input_image', image: { id: 'file-1' } },
    { type: 'file', modality: 'image', file_id: 'file-1' },
  ],
  [
    { type: 'input_file', file: { url: 'https://x/y.pdf' } },
    { type: 'uri', modality: 'document', uri: 'https://x/y.pdf' },
  ],
  [
    { type: 'audio', audio: 'AQID' },
    { type: 'blob', modality: 'audio', content: 'AQID' },
  ],
  [
    { type: 'image', image: { data: new Uint8Array([1, 2, 3]), mediaType: 'image/png' } },
    { type: 'blob', mime_type: 'image/png', modality: 'image', content: 'AQID' },
  ],
  [
    { type: 'refusal', refusal: 'no' },
    { type: 'refusal', content: 'no' },
  ],
])('a part %j is %j', (part, recorded) => {
  expect(recordedMessages([{ role: 'user', content: [part] }])).toEqual([{ role: 'user', content: [recorded] }]);
  expect(userMessageOf([{ role: 'user', content: [part, part] }])).toEqual([recorded, recorded]);
});
