import { describe, expect, it } from 'vitest';
import { recordedMessages, recordedPart } from './messages.js';

const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'weather', input: { city: 'Oslo' } };
const result = (output: object, toolCallId = 'call_1') => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'weather',
  output,
});

describe('messages', () => {
  it('have their calls and reasoning in the words of the conventions, and a message for each result', () => {
    const messages = [
      { role: 'system', content: 'be kind' },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'so' }, call] },
      {
        role: 'tool',
        content: [
          result({ type: 'json', value: { temperature: 21 } }),
          result({ type: 'text', value: 'wet' }, 'call_2'),
        ],
      },
    ];
    expect(recordedMessages(messages)).toEqual([
      { role: 'system', content: 'be kind' },
      { role: 'user', content: [{ type: 'text', content: 'hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', content: 'hm' },
          { type: 'text', content: 'so' },
          { type: 'tool_call', id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: { temperature: 21 } },
      { role: 'tool', tool_call_id: 'call_2', content: 'wet' },
    ]);
  });

  it('have questions and answers of people as parts of their own', () => {
    const messages = [
      {
        role: 'assistant',
        content: [{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'call_1' }],
      },
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: false, reason: 'no' }] },
    ];
    expect(recordedMessages(messages)).toEqual([
      { role: 'assistant', content: [{ type: 'tool_approval_request', id: 'a', tool_call_id: 'call_1' }] },
      { role: 'user', content: [{ type: 'tool_approval_response', id: 'a', approved: false, reason: 'no' }] },
    ]);
  });
});

it.each([
  [{ type: 'error-text', value: 'broke' }, 'broke'],
  [{ type: 'error-json', value: { code: 7 } }, { code: 7 }],
  [{ type: 'execution-denied', reason: 'not today' }, 'not today'],
  [{ type: 'execution-denied' }, 'Tool execution denied.'],
  [
    {
      type: 'content',
      value: [
        { type: 'text', text: 'see' },
        { type: 'file-data', data: 'AAAA', mediaType: 'application/pdf' },
        { type: 'image-url', url: 'https://x/y.png' },
        { type: 'file-id', fileId: 'file-1' },
      ],
    },
    [
      { type: 'text', content: 'see' },
      { type: 'blob', mime_type: 'application/pdf', modality: 'document', content: 'AAAA' },
      { type: 'uri', modality: 'image', uri: 'https://x/y.png' },
      { type: 'file', modality: 'document', file_id: 'file-1' },
    ],
  ],
])('a result %j is what the model is told', (output, response) => {
  expect(recordedPart(result(output))).toEqual({ type: 'tool_call_response', id: 'call_1', response });
});

const png = { mime_type: 'image/png', modality: 'image' };
it.each([
  [
    { type: 'image', image: new URL('https://x/y.png'), mediaType: 'image/png' },
    { type: 'uri', ...png, uri: 'https://x/y.png' },
  ],
  [
    { type: 'image', image: 'https://x/y.png' },
    { type: 'uri', modality: 'image', uri: 'https://x/y.png' },
  ],
  [
    { type: 'image', image: new Uint8Array([1, 2, 3]) },
    { type: 'blob', modality: 'image', content: 'AQID' },
  ],
  [
    { type: 'image', image: 'data:image/png;base64,AQID' },
    { type: 'blob', ...png, content: 'AQID' },
  ],
  [
    { type: 'file', data: new Uint8Array([9, 1, 2, 3]).subarray(1), mediaType: 'image/png' },
    { type: 'blob', ...png, content: 'AQID' },
  ],
  [
    { type: 'file', data: 'AQID', mediaType: 'image/png' },
    { type: 'blob', ...png, content: 'AQID' },
  ],
  [
    { type: 'file', data: { type: 'url', url: new URL('https://x/y.png') }, mediaType: 'image/png' },
    { type: 'uri', ...png, uri: 'https://x/y.png' },
  ],
  [
    { type: 'file', data: { type: 'data', data: 'AQID' }, mediaType: 'audio/wav' },
    { type: 'blob', mime_type: 'audio/wav', modality: 'audio', content: 'AQID' },
  ],
  [
    { type: 'file', data: { type: 'reference', reference: { openai: 'file-1' } }, mediaType: 'image/png' },
    { type: 'file', ...png, file_id: 'file-1' },
  ],
  [
    { type: 'file', data: { openai: 'file-1' }, mediaType: 'image/png' },
    { type: 'file', ...png, file_id: 'file-1' },
  ],
  [
    { type: 'file', data: { type: 'text', text: 'words' }, mediaType: 'text/plain' },
    { type: 'text', content: 'words' },
  ],
  [
    { type: 'custom', kind: 'a.b' },
    { type: 'custom', kind: 'a.b' },
  ],
])('%j is %j', (part, recorded) => expect(recordedPart(part)).toEqual(recorded));
