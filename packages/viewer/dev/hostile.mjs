// A turn whose every text is markup, a script, a terminal escape or an override of the writing direction.
export const HOSTILE = [
  '<img src=x onerror="document.title=\'ran\'">',
  '<script>document.title="ran"</script>',
  '"><svg/onload=document.title="ran">',
  'javascript:document.title="ran"',
  '\u001b[31mred\u001b[0m\u0007\u0000',
  'invoice\u202Efdp.exe\u2066x\u2069',
  '{{constructor.constructor("document.title=\'ran\'")()}}',
  '\ud800 lone, z\u0301\u0301\u0301\u0301\u0301\u0301, \u200b\ufeff',
];

export function hostileTurn() {
  const base = BigInt(Date.now() - 120_000) * 1_000_000n;
  const trace = 'bad0'.padEnd(32, '0');
  const resource = { 'service.name': HOSTILE[0], 'host.name': HOSTILE[1] };
  const span = (index, parent, name, attributes, more) => ({
    trace,
    id: String(index).padStart(16, '0'),
    parent,
    name,
    start: base + BigInt(index) * 1_000_000n,
    end: base + BigInt(index + 400) * 1_000_000n,
    attributes,
    events: [],
    links: [],
    status: { code: 0 },
    resource,
    scope: { name: HOSTILE[2] },
    ...more,
  });
  const messages = (role) =>
    JSON.stringify([
      {
        role: role ?? HOSTILE[0],
        parts: [
          ...HOSTILE.map((content) => ({ type: 'text', content })),
          { type: 'tool_call', id: 'c1', name: HOSTILE[1], arguments: { [HOSTILE[0]]: HOSTILE } },
          { type: 'tool_call_response', id: 'c1', response: HOSTILE.join('\n') },
          { type: 'blob', mime_type: HOSTILE[0], content: 'AAAA' },
          { type: 'uri', uri: HOSTILE[3] },
          { type: 'text', content: 'long '.repeat(1_000_000) },
        ],
      },
    ]);
  const root = span(0, null, `invoke_agent ${HOSTILE[0]}`, {
    'gen_ai.operation.name': 'invoke_agent',
    'hermes.turn.id': HOSTILE[1],
    'hermes.turn.outcome': 'completed',
    'gen_ai.agent.name': HOSTILE[1],
    'gen_ai.conversation.id': HOSTILE[2],
    'gen_ai.input.messages': messages('user'),
  });
  const spans = [root];
  HOSTILE.forEach((text, index) => {
    spans.push(
      span(
        index + 1,
        root.id,
        `execute_tool ${text}`,
        {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': text,
          'hermes.tool.status': index % 2 ? 'blocked' : 'error',
          'hermes.tool.blocked_by': text,
          'gen_ai.tool.call.arguments': JSON.stringify({ [text]: text }),
          'gen_ai.tool.call.result': JSON.stringify({ error: text }),
          [text]: text,
        },
        {
          status: { code: index % 2 ? 0 : 2, message: text },
          events: [{ name: text, time: String(base), attributes: { [text]: text } }],
        },
      ),
    );
  });
  spans.push(
    span(20, root.id, `chat ${HOSTILE[0]}`, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': HOSTILE[0],
      'gen_ai.input.messages': messages(),
      'gen_ai.output.messages': messages('assistant'),
    }),
  );
  return spans;
}
