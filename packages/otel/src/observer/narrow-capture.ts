import { redactText } from '@hermes-observer/core';
import type { Attributes, AttributeValue } from '@opentelemetry/api';
import type { Capture } from '../attributes/capture.js';
import {
  CONTENT_ATTRIBUTES,
  NAME_ATTRIBUTES,
  PHRASE_ATTRIBUTES,
  WORD_ATTRIBUTES,
} from '../attributes/content-attributes.js';
import { exitReason } from '../attributes/exit-reason.js';
import { nameLabel, phraseLabel, typeLabel } from '../attributes/labels.js';
import { ATTR_HERMES_TURN_EXIT_REASON } from '../attributes/semconv.js';
import { copySpan } from '../sdk/copy-span.js';
import type { ReadableSpan } from '../sdk/types.js';

/** Gives spans with less content than they carry: copies, through which the spans themselves cannot be reached. */
export function narrowing(capture: 'none' | 'redacted'): (span: ReadableSpan) => ReadableSpan {
  return (span) => {
    const { code, message } = span.status;
    const isKept = message !== undefined && capture === 'redacted';
    return copySpan(span, {
      name: narrowedName(span.name, capture),
      attributes: narrowedAll(span.attributes, capture),
      events: span.events.map((event) => ({ ...event, attributes: narrowedAll(event.attributes ?? {}, capture) })),
      links: span.links.map((link) =>
        link.attributes === undefined ? link : { ...link, attributes: narrowedAll(link.attributes, capture) },
      ),
      status: isKept ? { code, message: redactText(message) } : { code },
    });
  };
}

/** A span is named for an operation and what it is about. */
function narrowedName(name: string, capture: Capture): string {
  const [operation = '', ...subject] = name.split(' ');
  const rule = operation === 'chat' || operation === 'human_input' ? nameLabel : phraseLabel;
  return subject.length === 0 ? name : `${operation} ${rule(subject.join(' '), capture) ?? ''}`;
}

function narrowedAll(attributes: Attributes, capture: Capture): Attributes {
  const all: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    const kept = value === undefined ? undefined : narrowed(name, value, capture);
    if (kept !== undefined) all[name] = kept;
  }
  return all;
}

/** Ids and attributes of the user's own are no content, and may hold a secret all the same. */
function narrowed(name: string, value: AttributeValue, capture: Capture): AttributeValue | undefined {
  if (CONTENT_ATTRIBUTES.has(name)) return capture === 'none' ? undefined : redacted(value);
  if (name === ATTR_HERMES_TURN_EXIT_REASON) return exitReason(String(value), capture);
  if (NAME_ATTRIBUTES.has(name)) return nameLabel(value, capture);
  if (PHRASE_ATTRIBUTES.has(name)) return phraseLabel(value, capture);
  if (!WORD_ATTRIBUTES.has(name)) return redacted(value);
  if (Array.isArray(value)) return value.map((item) => typeLabel(String(item), capture));
  return typeof value === 'string' ? typeLabel(value, capture) : value;
}

function redacted(value: AttributeValue): AttributeValue | undefined {
  if (typeof value === 'string') return redactText(value);
  if (!Array.isArray(value) || !value.some((item) => typeof item === 'string')) return value;
  return value.map((item) => (typeof item === 'string' ? redactText(item) : String(item)));
}
