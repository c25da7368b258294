import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.js';
import { serviceFacts } from '../api/service-facts.js';
import type { SpanAnswer } from '../api/span-answer.js';
import { visibleLine } from '../format/visible-text.js';
import { turnPath } from '../route/route.js';
import { CopyButton } from '../ui/copy-button.js';
import { Icon } from '../ui/icon.js';
import { FaultNotice } from '../ui/notice.js';
import { jaegerLink } from './jaeger-link.js';
import { loadSpan } from './span-cache.js';
import { SpanDetails } from './span-details.js';

export interface SpanPanelProps {
  readonly trace: string;
  readonly span: string;
  /** Changes when the span ends, which brings its last attributes. */
  readonly end: number | undefined;
  readonly onClose: () => void;
  /** Shows another span of this turn in the tree. */
  readonly onGoTo: (span: string) => void;
}

/** All there is to know of one span. */
export function SpanPanel({ trace, span, end, onClose, onGoTo }: SpanPanelProps) {
  const [answer, setAnswer] = useState<SpanAnswer>();
  const [fault, setFault] = useState<unknown>();
  const panel = useRef<HTMLElement>(null);
  const load = (isWhole = false) => {
    loadSpan(trace, span, isWhole).then(
      (loaded) => {
        setAnswer(loaded);
        setFault(undefined);
      },
      (error: unknown) => setFault(error),
    );
  };
  useEffect(() => load(), [trace, span, end]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onClose();
    document.querySelector<HTMLElement>('.span-grid')?.focus({ preventScroll: true });
  };
  const link = jaegerLink(serviceFacts.jaegerUrl ?? undefined, trace, span);
  return (
    <aside class="span-panel" ref={panel} aria-label="Span" onKeyDown={onKeyDown}>
      <div class="panel-bar">
        <a class="button only-panel-over" href={turnPath(trace)}>
          <Icon name="back" />
          Turn
        </a>
        {answer !== undefined && <CopyButton label="Copy as JSON" text={() => JSON.stringify(answer, null, 2)} />}
        {link !== undefined && (
          <a class="button" href={link} target="_blank" rel="noopener noreferrer">
            <Icon name="link" />
            Jaeger
          </a>
        )}
        <button type="button" class="panel-close" onClick={onClose} aria-label="Close the span">
          <Icon name="close" />
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <div class="panel-body" tabIndex={0} role="region" aria-label="Details of the span">
        {answer === undefined && fault === undefined && <p class="loading">Loading…</p>}
        {answer === undefined && fault !== undefined && (
          <FaultNotice
            fault={fault}
            {...(fault instanceof ApiError && fault.status === 404 ? {} : { again: () => load() })}
          />
        )}
        {answer !== undefined && (
          <SpanDetails
            answer={answer}
            trace={trace}
            title={visibleLine(answer.name, 200)}
            onGoTo={onGoTo}
            onWhole={() => load(true)}
          />
        )}
      </div>
    </aside>
  );
}
