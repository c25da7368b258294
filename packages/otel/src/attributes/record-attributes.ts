import { type Payload, snapshot } from '@hermes-observer/core';
import type { Attributes } from '@opentelemetry/api';
import { object } from '../assembly/fields.js';
import type { AnyNode } from '../assembly/span-node.js';
import type { AttributeOptions } from './attribute-options.js';
import { setContent } from './content.js';
import { endAttributes } from './end-attributes.js';
import { firstAttributes } from './first-attributes.js';
import { detailAttributes, startAttributes } from './start-attributes.js';
import { AttributeBag } from './values.js';

/**
 * What the records of a node say of its span, content included where it is wanted. Never throws: a payload that cannot
 * be read as it is, is read from its safe copy.
 */
export class RecordAttributes {
  readonly #options: AttributeOptions;
  /** Attributes of the user's own, which every span starts with. */
  readonly #own: Attributes | undefined;

  constructor(options: AttributeOptions, own: Attributes | undefined) {
    this.#options = options;
    this.#own = own;
  }

  /** What a sampler may decide on; `details` go with it. */
  start(node: AnyNode, payload: Payload): Attributes {
    try {
      return this.#withOwn(startAttributes(node, payload, this.#options));
    } catch {
      return this.#withOwn(startAttributes(node, safeCopy(payload), this.#options));
    }
  }

  /** What else the first record says. */
  details(node: AnyNode, payload: Payload): Attributes {
    try {
      return this.#withContent(detailAttributes(node, payload, this.#options), node, payload);
    } catch {
      const safe = safeCopy(payload);
      return this.#withContent(detailAttributes(node, safe, this.#options), node, safe);
    }
  }

  /** All that the first record says, in an object the span may keep. */
  first(node: AnyNode, payload: Payload): Attributes {
    try {
      return this.#withContent(this.#withOwn(firstAttributes(node, payload, this.#options)), node, payload);
    } catch {
      const safe = safeCopy(payload);
      return this.#withContent(this.#withOwn(firstAttributes(node, safe, this.#options)), node, safe);
    }
  }

  /** What a record in between adds; `undefined` for nothing. */
  update(node: AnyNode, payload: Payload): Attributes | undefined {
    if (this.#options.capture === 'none') return undefined;
    try {
      return this.#withContent({}, node, payload);
    } catch {
      return this.#withContent({}, node, safeCopy(payload));
    }
  }

  /** What is known at the end. `payload` is that of the record that ended the span, if one did. */
  end(node: AnyNode, payload: Payload | undefined): Attributes {
    try {
      return this.#withContent(endAttributes(node, payload, this.#options), node, payload);
    } catch {
      const safe = payload === undefined ? undefined : safeCopy(payload);
      return this.#withContent(endAttributes(node, safe, this.#options), node, safe);
    }
  }

  #withOwn(attributes: Attributes): Attributes {
    return this.#own === undefined ? attributes : { ...this.#own, ...attributes };
  }

  #withContent(attributes: Attributes, node: AnyNode, payload: Payload | undefined): Attributes {
    const { capture } = this.#options;
    if (capture !== 'none' && payload !== undefined) setContent(new AttributeBag(attributes), node, payload, capture);
    return attributes;
  }
}

function safeCopy(payload: Payload): Payload {
  return object(snapshot(payload)) ?? {};
}
