import { useState } from 'preact/hooks';
import { counted } from '../format/amount.js';
import { visibleLine, visibleText } from '../format/visible-text.js';
import { FoldedText } from './folded-text.js';

/** Entries shown at once. */
const STEP = 100;

/** A value of JSON: its branches open when they are asked for, and cost nothing before. */
export function JsonTree({ value, open = true }: { value: unknown; open?: boolean }) {
  if (typeof value !== 'object' || value === null) return <Leaf value={value} />;
  return <Branch value={value} open={open} />;
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === 'string') {
    if (value.length > 120 || value.includes('\n')) return <FoldedText text={value} class="json-text" />;
    return <span class="json-text">{visibleText(value) || '""'}</span>;
  }
  return <span class="json-word">{String(value)}</span>;
}

function Branch({ value, open, name, depth = 0 }: { value: object; open: boolean; name?: string; depth?: number }) {
  const [isOpen, setOpen] = useState(open);
  const [shown, setShown] = useState(STEP);
  const entries = isOpen ? Object.entries(value) : [];
  const size = Array.isArray(value) ? value.length : Object.keys(value).length;
  const summary = Array.isArray(value) ? counted(size, 'item') : counted(size, 'field');
  return (
    <details class="json" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name !== undefined && <span class="json-name">{visibleLine(name, 80)} </span>}
        <span class="soft">{summary}</span>
      </summary>
      {isOpen && (
        <ul>
          {entries.slice(0, shown).map(([key, item]) => (
            <li key={key}>
              {typeof item === 'object' && item !== null ? (
                <Branch value={item} open={depth < 2 && size <= 8} name={key} depth={depth + 1} />
              ) : (
                <>
                  <span class="json-name">{visibleLine(key, 80)} </span>
                  <Leaf value={item} />
                </>
              )}
            </li>
          ))}
          {shown < entries.length && (
            <li>
              <button type="button" class="quiet" onClick={() => setShown(shown + STEP * 5)}>
                {counted(entries.length - shown, 'more', 'more')}
              </button>
            </li>
          )}
        </ul>
      )}
    </details>
  );
}
