import { useMemo, useState } from 'preact/hooks';
import { counted } from '../format/amount.js';
import { visibleLine } from '../format/visible-text.js';
import { FoldedText } from '../ui/folded-text.js';
import { Icon } from '../ui/icon.js';
import { JsonTree } from '../ui/json-tree.js';
import { type Message, readConversation } from './conversation.js';
import type { MessagePart } from './message-parts.js';

/** What was said before these is folded. */
const LATEST = 12;

export function ConversationView(props: { input: unknown; output: unknown; system: unknown }) {
  const messages = useMemo(
    () => readConversation(props.input, props.output, props.system),
    [props.input, props.output, props.system],
  );
  const [isWhole, setWhole] = useState(false);
  if (messages.length === 0) return null;
  const hidden = isWhole ? 0 : Math.max(0, messages.length - LATEST);
  return (
    <section>
      <h2>Conversation</h2>
      {hidden > 0 && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show {counted(hidden, 'earlier message')}
        </button>
      )}
      <ol class="conversation">
        {messages.slice(hidden).map((message, index) => (
          <MessageView key={hidden + index} message={message} />
        ))}
      </ol>
    </section>
  );
}

const ROLES = new Set(['user', 'assistant', 'system', 'tool', 'developer']);

function MessageView({ message }: { message: Message }) {
  const { role, parts, isAnswer, finish } = message;
  const known = ROLES.has(role) ? role : 'other';
  return (
    <li class={`message role-${known}`}>
      <div class="message-head">
        <b>{visibleLine(role, 40) || 'message'}</b>
        {isAnswer && <span class="soft">answer</span>}
        {finish !== undefined && <span class="soft">{visibleLine(finish, 40).replaceAll('_', ' ')}</span>}
      </div>
      {parts.map((part, index) => (
        <PartView key={index} part={part} />
      ))}
    </li>
  );
}

function PartView({ part }: { part: MessagePart }) {
  switch (part.type) {
    case 'text':
      return <FoldedText text={part.text} />;
    case 'reasoning':
      return (
        <details class="reasoning">
          <summary>Reasoning</summary>
          <FoldedText text={part.text} />
        </details>
      );
    case 'call':
      return (
        <div class="call">
          <div class="call-name part-text-tools">
            <Icon name="tool" />
            <code>{visibleLine(part.name, 80) || 'tool'}</code>
          </div>
          <JsonTree value={part.args} />
          {part.hasResult && (
            <>
              <div class="soft call-result">Result</div>
              <JsonTree value={part.result} />
            </>
          )}
        </div>
      );
    case 'result':
      return (
        <div class="call">
          <div class="soft call-result">Result of a call that is not shown</div>
          <JsonTree value={part.value} />
        </div>
      );
    case 'media':
      return (
        <div class="media">
          <Icon name="media" />
          <span>{visibleLine(part.kind, 60)}</span>
          <span class="soft">{visibleLine(part.about, 120)}, not loaded</span>
        </div>
      );
    case 'left-out':
      return <p class="soft">{counted(part.count, 'message')} left out to stay within the limit</p>;
    case 'other':
      return <JsonTree value={part.value} />;
  }
}
